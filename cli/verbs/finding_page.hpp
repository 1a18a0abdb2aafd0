// SPDX-License-Identifier: Apache-2.0
// One page of docs/findings, by its finding's id, or what docs/causes.md says of a cause.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/verbs/finding_pages.hpp"
#include "core/report/wording/finding_rule.hpp"
#include "core/support/result.hpp"

namespace stepscope {

// Error: usage, with the nearest id.
Result<FindingPage> finding_page(const std::string& id);

// The page of a finding, or the text of a cause.
Result<std::string> explained(const std::string& id);

// All of them, for formats that list rules beside findings.
std::vector<FindingRule> finding_rules();

// "# host_sync: the loop waits for the device" -> "the loop waits for the device"
std::string_view title_of(const FindingPage& page);

}  // namespace stepscope
