// SPDX-License-Identifier: Apache-2.0
// The tables of a report in Markdown that list the largest rows. Internal to reports/markdown.
#pragma once

#include <string>
#include <vector>

#include "core/report/wording/step_scale.hpp"
#include "reports/markdown/markdown.hpp"

namespace stepscope::markdown {

using Rows = std::vector<std::vector<std::string>>;

inline MarkdownColumn left(std::string title) {
  return {std::move(title), MarkdownAlign::left};
}

inline std::string paragraph(const std::string& markdown) {
  return markdown.empty() ? "" : markdown + "\n\n";
}

// Each is a title and a table, or nothing where there is nothing to list.
std::string phase_section(const StepScale& scale);
std::string line_section(const StepScale& scale);
std::string kernel_section(const StepScale& scale);
std::string host_op_section(const StepScale& scale);  // of a run without a device
std::string transfer_section(const StepScale& scale);

}  // namespace stepscope::markdown
