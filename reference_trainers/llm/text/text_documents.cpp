// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/llm/text/text_documents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace stepscope::llm {
namespace {

namespace fs = std::filesystem;

Result<std::string> whole_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file.is_open() || file.bad())
    return io_error(fmt::format("--text {}: it cannot be read", path));
  const std::size_t bad = first_not_utf8(text);
  if (bad < text.size())
    return bad_input(fmt::format(
        "--text {}: byte {} is no UTF-8; convert the file, for example with iconv", path, bad));
  return text;
}

// Bytes of the character that begins so, 0 where none does.
std::size_t length_of(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first < 0xe0) return 2;
  if (first >= 0xe0 && first < 0xf0) return 3;
  return first >= 0xf0 && first < 0xf5 ? 4 : 0;
}

// Whether the second byte fits: no longer form than needed, no surrogate, none beyond the last
// character.
bool second_fits(unsigned char first, unsigned char second) {
  if (first == 0xe0) return second >= 0xa0;
  if (first == 0xed) return second < 0xa0;
  if (first == 0xf0) return second >= 0x90;
  return first != 0xf4 || second < 0x90;
}

// Begin and end of the next line that is the separator; the text's end where there is none.
std::pair<std::size_t, std::size_t> next_separator(std::string_view text, std::size_t from,
                                                   const std::string& separator) {
  std::size_t at = separator.empty() ? std::string_view::npos : text.find(separator, from);
  for (; at != std::string_view::npos; at = text.find(separator, at + 1)) {
    const std::size_t end = at + separator.size();
    const bool begins = at == 0 || text[at - 1] == '\n';
    if (begins && (end == text.size() || text[end] == '\n'))
      return {at, std::min(end + 1, text.size())};
  }
  return {text.size(), text.size()};
}

}  // namespace

Result<std::vector<std::string>> text_files(const std::string& path) {
  std::error_code problem;
  if (!fs::is_directory(path, problem)) {
    if (fs::exists(path, problem)) return std::vector<std::string>{path};
    return io_error(fmt::format("--text {}: there is no such file or folder", path));
  }
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(path, problem))
    if (entry.path().extension() == ".txt") files.push_back(entry.path().string());
  if (files.empty()) return bad_input(fmt::format("--text {}: it holds no *.txt", path));
  std::sort(files.begin(), files.end());
  return files;
}

std::size_t first_not_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
    const std::size_t length = length_of(byte(0));
    if (length == 0 || at + length > text.size()) return at;
    for (std::size_t i = 1; i < length; ++i)
      if ((byte(i) & 0xc0U) != 0x80U) return at;
    if (length > 1 && !second_fits(byte(0), byte(1))) return at;
    at += length;
  }
  return text.size();
}

Status for_each_document(const std::vector<std::string>& files, const std::string& separator,
                         const std::function<Status(std::string_view)>& each) {
  for (const std::string& path : files) {
    const Result<std::string> whole = whole_text(path);
    if (!whole) return whole.error();
    const std::string_view text = *whole;
    for (std::size_t begin = 0; begin < text.size();) {
      const auto [end, next] = next_separator(text, begin, separator);
      if (end > begin) {
        if (const Status done = each(text.substr(begin, end - begin)); !done) return done;
      }
      begin = next;
    }
  }
  return Done{};
}

}  // namespace stepscope::llm
