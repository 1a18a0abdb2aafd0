// SPDX-License-Identifier: Apache-2.0
// A comparison as GitHub's Markdown: the sentence, the parts that sum to the difference, causes,
// and how much work a step does on each side.
#pragma once

#include <string>

#include "core/compare/comparison.hpp"

namespace stepscope {

std::string markdown_diff(const Comparison& comparison);

}  // namespace stepscope
