// SPDX-License-Identifier: Apache-2.0
// A comparison as one page: how much longer or shorter, the waterfall, and every part of the
// difference in tables that sum to it, to the nanosecond.
#pragma once

#include <string>

#include "core/compare/comparison.hpp"

namespace stepscope {

// For runs that are not comparable: why not, and what the sides are.
std::string html_diff(const Comparison& comparison);

}  // namespace stepscope
