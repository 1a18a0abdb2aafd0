// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs/option_hints.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/support/suggestion.hpp"

namespace stepscope {
namespace {

std::string hint(std::string_view word, const std::vector<std::string>& known) {
  const std::string_view near = nearest(word, {known.begin(), known.end()});
  return near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near);
}

}  // namespace

std::string unknown_option_text(const CLI::App& verb, std::string_view word) {
  const std::string name(word.substr(0, word.find('=')));
  if (!name.starts_with('-') || name == "-" || name == "--") return "";
  if (verb.get_option_no_throw(name) != nullptr) return "";
  std::vector<std::string> known;
  for (const CLI::Option* option : verb.get_options()) {
    for (const std::string& longer : option->get_lnames()) known.push_back("--" + longer);
  }
  return fmt::format("'{}' is no option{}", name, hint(name, known));
}

std::string first_unknown_option(const CLI::App& verb, int argc, const char* const* argv) {
  bool behind = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word(argv[i]);
    if (behind && word == "--") break;
    if (behind) {
      std::string text = unknown_option_text(verb, word);
      if (!text.empty()) return text;
    }
    behind = behind || word == verb.get_name();
  }
  return "";
}

CLI::Validator one_of(std::vector<std::string> values) {
  const std::string type = fmt::format("{{{}}}", fmt::join(values, ","));
  const auto check = [known = std::move(values)](const std::string& text) {
    if (std::find(known.begin(), known.end(), text) != known.end()) return std::string();
    return fmt::format("'{}' is none of {}{}", text, fmt::join(known, ", "), hint(text, known));
  };
  return {check, type, "one of"};
}

}  // namespace stepscope
