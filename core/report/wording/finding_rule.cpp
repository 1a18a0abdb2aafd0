// SPDX-License-Identifier: Apache-2.0
#include "core/report/wording/findings.hpp"

#include <algorithm>

namespace stepscope {

std::string_view first_paragraph(const FindingRule& rule) {
  const std::size_t heading = rule.text.find('\n');
  const std::size_t begin = rule.text.find_first_not_of('\n', heading);
  if (heading == std::string_view::npos || begin == std::string_view::npos) return rule.title;
  return rule.text.substr(begin, rule.text.find("\n\n", begin) - begin);
}

const FindingRule* rule_with(std::string_view id, std::span<const FindingRule> rules) {
  const auto found = std::find_if(rules.begin(), rules.end(),
                                  [id](const FindingRule& rule) { return rule.id == id; });
  return found == rules.end() ? nullptr : &*found;
}

}  // namespace stepscope
