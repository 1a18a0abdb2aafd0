// SPDX-License-Identifier: Apache-2.0
// Why run B's step differs from run A's, as one screen: the two runs, the parts from A's step to
// B's, the same by cause and phase, work that was replaced, and how much work a step does.
#pragma once

#include <string>

#include "core/compare/comparison.hpp"
#include "reports/text/style.hpp"

namespace stepscope {

// At most 100 columns. Where the runs cannot be compared: why, and no table.
std::string text_diff(const Comparison& comparison, const Style& style);

}  // namespace stepscope
