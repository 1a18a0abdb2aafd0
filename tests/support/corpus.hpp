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
