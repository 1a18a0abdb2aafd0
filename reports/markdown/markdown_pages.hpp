// SPDX-License-Identifier: Apache-2.0
// Results as GitHub's Markdown, one function for each kind of result.
#pragma once

#include <string>
#include <vector>

#include "core/compare/comparison.hpp"
#include "core/gate/verdict.hpp"
#include "core/summary/summary.hpp"

namespace stepscope {

// The report as GitHub's Markdown, for an issue, a pull request or a CI's job summary: the text
// report's numbers and sentences, in tables.
std::string markdown_report(const std::vector<Summary>& summaries);

// A comparison as GitHub's Markdown: the sentence, the parts that sum to the difference, causes,
// and how much work a step does on each side.
std::string markdown_diff(const Comparison& comparison);

// A gate's verdict as GitHub's Markdown, for a job summary or a pull request's comment: below 64
// KB, the limit of a comment, far below that of a job summary (1 MiB, above which it is dropped
// whole).
std::string markdown_gate(const GateVerdict& verdict);

}  // namespace stepscope
