// SPDX-License-Identifier: Apache-2.0
// One line of a text case: words, then key=value pairs, in any order; '#' starts a comment; "a b"
// is one word. Times are decimals in microseconds, or carry a unit: 12.5, 800ns, 3ms. Exact: no
// floating point.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/result.hpp"

namespace stepscope::testing {

struct TextLine {
  int number = 0;
  std::vector<std::string> words;
  std::map<std::string, std::string> options;

  bool empty() const { return words.empty(); }
  const std::string& word(
      std::size_t at) const;  // throws std::invalid_argument where there are fewer
  bool has(const std::string& key) const { return options.contains(key); }
  std::string option(const std::string& key, std::string fallback = "") const;
};

TextLine parse_line(std::string_view text, int number);

// Nanoseconds. Throws std::invalid_argument: a case that cannot be read is a programming error of
// the test's author, reported with its line by parse_case.
std::int64_t parse_time(std::string_view text);
std::uint64_t parse_count(std::string_view text);

// "12.5" for 12500 ns: as short as exact allows, in microseconds.
std::string print_time(std::int64_t ns);

}  // namespace stepscope::testing
