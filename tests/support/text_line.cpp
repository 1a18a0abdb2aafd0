// SPDX-License-Identifier: Apache-2.0
#include "tests/support/text_line.hpp"

#include <charconv>
#include <stdexcept>

namespace stepscope::testing {
namespace {

struct Word {
  std::string text;
  bool quoted = false;
};

std::vector<Word> split(std::string_view text) {
  std::vector<Word> words;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '#') break;
    if (text[at] == ' ' || text[at] == '\t') {
      ++at;
      continue;
    }
    const bool quoted = text[at] == '"';
    if (quoted) ++at;
    const std::size_t end = std::min(text.size(), text.find_first_of(quoted ? "\"" : " \t", at));
    words.push_back({std::string(text.substr(at, end - at)), quoted});
    at = end + (quoted ? 1 : 0);
  }
  return words;
}

// "key=value" with a key of lower-case letters and '_': kernel names may hold '=' elsewhere.
std::size_t option_split(const Word& word) {
  const std::size_t at = word.text.find('=');
  if (word.quoted || at == std::string::npos || at == 0) return std::string::npos;
  const std::size_t other = word.text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_");
  return other == at ? at : std::string::npos;
}

[[noreturn]] void reject(std::string_view what, std::string_view text) {
  throw std::invalid_argument(std::string(what) + " '" + std::string(text) + "'");
}

std::int64_t ns_per_unit(std::string_view unit) {
  if (unit == "ns") return 1;
  if (unit.empty() || unit == "us") return 1000;
  if (unit == "ms") return 1000000;
  reject("unknown unit", unit);
}

}  // namespace

const std::string& TextLine::word(std::size_t at) const {
  if (at >= words.size()) throw std::invalid_argument("'" + words[0] + "' needs more words");
  return words[at];
}

std::string TextLine::option(const std::string& key, std::string fallback) const {
  const auto at = options.find(key);
  return at == options.end() ? std::move(fallback) : at->second;
}

TextLine parse_line(std::string_view text, int number) {
  TextLine line{.number = number};
  for (Word& word : split(text)) {
    const std::size_t at = option_split(word);
    if (at == std::string::npos) {
      line.words.push_back(std::move(word.text));
    } else {
      line.options[word.text.substr(0, at)] = word.text.substr(at + 1);
    }
  }
  return line;
}

std::int64_t parse_time(std::string_view text) {
  const std::size_t unit_at = std::min(text.size(), text.find_first_not_of("-0123456789."));
  const std::int64_t unit = ns_per_unit(text.substr(unit_at));
  const bool negative = text.starts_with('-');
  std::int64_t value = 0;
  std::int64_t scale = 0;  // 0: before the point
  for (const char c : text.substr(negative ? 1 : 0, unit_at - (negative ? 1 : 0))) {
    if (c == '.') {
      if (scale != 0) reject("not a time", text);
      scale = unit;
    } else if (scale == 0) {
      value = value * 10 + (c - '0') * unit;
    } else {
      if (scale < 10) reject("finer than a nanosecond", text);
      scale /= 10;
      value += (c - '0') * scale;
    }
  }
  if (unit_at == 0) reject("not a time", text);
  return negative ? -value : value;
}

std::uint64_t parse_count(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) reject("not a count", text);
  return value;
}

std::string print_time(std::int64_t ns) {
  std::string out = ns < 0 ? "-" : "";
  const std::int64_t size = ns < 0 ? -ns : ns;
  out += std::to_string(size / 1000);
  std::string fraction = std::to_string(1000 + size % 1000).substr(1);
  while (!fraction.empty() && fraction.back() == '0') fraction.pop_back();
  return fraction.empty() ? out : out + "." + fraction;
}

}  // namespace stepscope::testing
