// SPDX-License-Identifier: Apache-2.0
#include "reports/html/source_excerpt.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

namespace stepscope {
namespace {

constexpr std::uintmax_t kLargestFile = 16U << 20U;
constexpr std::size_t kLongestLine = 200;
constexpr std::array<std::string_view, 20> kSourceEndings = {
    ".py",  ".pyi", ".pyx", ".pxd", ".c",   ".cc",  ".cpp", ".cxx", ".h",  ".hh",
    ".hpp", ".hxx", ".inl", ".cu",  ".cuh", ".hip", ".rs",  ".go",  ".jl", ".ipynb"};

bool is_readable_source(const std::filesystem::path& path) {
  const std::string ending = path.extension().string();
  if (std::find(kSourceEndings.begin(), kSourceEndings.end(), ending) == kSourceEndings.end())
    return false;
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) &&
         std::filesystem::file_size(path, error) <= kLargestFile && !error;
}

std::string shown(std::string line) {
  if (line.ends_with('\r')) line.pop_back();
  if (line.size() > kLongestLine) line = line.substr(0, kLongestLine) + "...";
  return line;
}

}  // namespace

SourceExcerpt source_excerpt(const std::string& file, std::uint32_t line, std::uint32_t around) {
  SourceExcerpt out;
  if (line == 0 || !is_readable_source(file)) return out;
  std::ifstream in(file, std::ios::binary);
  out.first_line = line > around ? line - around : 1;
  std::string text;
  for (std::uint64_t at = 1; at <= std::uint64_t{line} + around && std::getline(in, text); ++at) {
    if (at >= out.first_line) out.lines.push_back(shown(text));
  }
  if (out.first_line + out.lines.size() <= line) out.lines.clear();
  return out;
}

}  // namespace stepscope
