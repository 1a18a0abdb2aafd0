// SPDX-License-Identifier: Apache-2.0
// What a finding's rule is, for formats that list rules beside results: docs/findings/ID.md.
#pragma once

#include <span>
#include <string_view>

namespace stepscope {

struct FindingRule {
  std::string_view id;
  std::string_view title;  // "the loop waits for the device"
  std::string_view text;   // the page, Markdown
};

// Returns the first paragraph, without the heading: what the pattern is.
std::string_view first_paragraph(const FindingRule& rule);

// Null where no rule has the id.
const FindingRule* rule_with(std::string_view id, std::span<const FindingRule> rules);

}  // namespace stepscope
