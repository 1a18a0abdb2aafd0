// SPDX-License-Identifier: Apache-2.0
// The real traces that tests run over, and the independent Python reference for them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace stepscope {

// All traces in the folder that STEPSCOPE_CORPUS names, else in tests/data/kineto; sorted by name.
inline std::vector<std::filesystem::path> corpus_traces() {
  const char* const folder = std::getenv("STEPSCOPE_CORPUS");
  std::vector<std::filesystem::path> out;
  const std::filesystem::path where = folder ? folder : STEPSCOPE_SOURCE_DIR "/tests/data/kineto";
  for (const auto& entry : std::filesystem::directory_iterator(where)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".json") || name.ends_with(".json.gz")) out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

// The traces that are compared with the slow Python reference: those of at most 1.6 MB, or all where
// STEPSCOPE_WHOLE_CORPUS is set (the tests with the label "nightly").
inline std::vector<std::filesystem::path> compared_traces() {
  std::vector<std::filesystem::path> out = corpus_traces();
  if (std::getenv("STEPSCOPE_WHOLE_CORPUS") == nullptr)
    std::erase_if(out,
                  [](const auto& path) { return std::filesystem::file_size(path) > 1'600'000; });
  return out;
}

// Returns what a command prints; the test fails if the command does.
inline std::string output_of(const std::string& command) {
  std::string out;
  std::FILE* const pipe = ::popen(command.c_str(), "r");
  std::array<char, 4096> buffer;
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    out.append(buffer.data(), got);
  }
  EXPECT_EQ(::pclose(pipe), 0) << command;
  return out;
}

}  // namespace stepscope
