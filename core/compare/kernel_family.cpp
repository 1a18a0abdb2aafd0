// SPDX-License-Identifier: Apache-2.0
#include "core/compare/work_matching.hpp"

namespace stepscope::compare_parts {
namespace {

constexpr std::string_view kAnonymous = "(anonymous namespace)::";

// The text outside of <...> and up to the parameter list.
std::string outside_brackets(std::string_view name) {
  std::string out;
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name.substr(i).starts_with(kAnonymous)) {
      i += kAnonymous.size() - 1;
    } else if (name[i] == '<') {
      ++depth;
    } else if (name[i] == '>') {
      depth -= depth > 0 ? 1 : 0;
    } else if (depth == 0 && name[i] == '(') {
      break;
    } else if (depth == 0) {
      out += name[i];
    }
  }
  return out;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

std::string kernel_family(std::string_view name) {
  std::string stem = outside_brackets(name);
  if (stem.empty()) stem = name;  // "<lambda>" and the like
  if (stem.starts_with("void ")) stem.erase(0, 5);
  if (const auto scope = stem.rfind("::"); scope != std::string::npos) stem.erase(0, scope + 2);
  std::string out;
  for (const char c : stem) {
    if (!is_digit(c)) {
      out += c;
    } else if (out.empty() || out.back() != '#') {
      out += '#';
    }
  }
  return out;
}

}  // namespace stepscope::compare_parts
