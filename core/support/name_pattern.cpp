// SPDX-License-Identifier: Apache-2.0
#include "core/support/name_pattern.hpp"

#include <fmt/format.h>

#include <regex>

namespace stepscope {
namespace {

constexpr std::size_t kLongestName = 512;

}  // namespace

struct NamePattern::Compiled {
  std::regex regex;
};

Result<NamePattern> NamePattern::compile(std::string_view option, const std::string& text) {
  try {  // std::regex reports a bad pattern in no other way
    return NamePattern(std::make_shared<const Compiled>(
        Compiled{std::regex(text, std::regex::ECMAScript | std::regex::optimize)}));
  } catch (const std::regex_error& error) {
    return usage_error(
        fmt::format("{} '{}': not a regular expression ({}); quote it for the shell, and write "
                    "( [ * + ? . as \\( \\[ ... to search for the characters themselves",
                    option, text, error.what()));
  }
}

bool NamePattern::is_in(std::string_view name) const {
  name = name.substr(0, kLongestName);
  return std::regex_search(name.begin(), name.end(), compiled_->regex);
}

}  // namespace stepscope
