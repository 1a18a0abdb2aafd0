// SPDX-License-Identifier: Apache-2.0
// The report as GitHub's Markdown, for an issue, a pull request or a CI's job summary: the text
// report's numbers and sentences, in tables.
#pragma once

#include <string>
#include <vector>

#include "core/summary/summary.hpp"

namespace stepscope {

std::string markdown_report(const std::vector<Summary>& summaries);

}  // namespace stepscope
