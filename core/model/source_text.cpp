// SPDX-License-Identifier: Apache-2.0
#include "core/model/source_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace stepscope {
namespace {

constexpr std::size_t kLongestKept = 200;  // bytes
constexpr std::size_t kDigits = 8;         // hexadecimal digits of one hash

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
}

// Bytes above 127 are letters of other alphabets.
bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         static_cast<unsigned char>(c) >= 0x80U;
}

bool continues_a_character(char c) {
  return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace

// FNV-1a.
std::uint32_t hash_of_line(std::string_view line) {
  const std::string_view text = trimmed(line);
  if (std::none_of(text.begin(), text.end(), is_letter_or_digit)) return 0;
  std::uint32_t hash = 0x811c9dc5U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x01000193U;
  return hash == 0 ? 1 : hash;
}

std::string kept_text(std::string_view line) {
  std::string_view text = trimmed(line);
  if (text.size() <= kLongestKept) return std::string(text);
  std::size_t end = kLongestKept;
  while (end > 0 && continues_a_character(text[end])) --end;
  return std::string(text.substr(0, end)) + "...";
}

std::string text_of_hashes(const std::vector<std::uint32_t>& hashes) {
  std::string out;
  out.reserve(hashes.size() * kDigits);
  for (const std::uint32_t hash : hashes) out += fmt::format("{:08x}", hash);
  return out;
}

bool read_hashes(std::string_view text, std::vector<std::uint32_t>& out) {
  if (text.size() % kDigits != 0) return false;
  out.clear();
  out.reserve(text.size() / kDigits);
  for (std::size_t at = 0; at < text.size(); at += kDigits) {
    const char* begin = text.data() + at;
    std::uint32_t hash = 0;
    const auto [end, error] = std::from_chars(begin, begin + kDigits, hash, 16);
    if (error != std::errc{} || end != begin + kDigits) return false;
    out.push_back(hash);
  }
  return true;
}

}  // namespace stepscope
