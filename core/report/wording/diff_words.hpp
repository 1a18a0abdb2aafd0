// SPDX-License-Identifier: Apache-2.0
// The sentences of a comparison, the same in text, Markdown and HTML.
#pragma once

#include <string>

#include "core/compare/delta_groups.hpp"
#include "core/report/wording/numbers.hpp"

namespace stepscope {

// "B takes 28.9 ms a step, A 38.2 ms: 9.26 ms less (-24.2 %), 1.32 times as fast"
std::string diff_sentence(const Comparison& comparison);

// "runs/a.scope: 30 steps, p50 38.1 ms, NVIDIA H100 80GB HBM3, host-bound"
std::string side_sentence(const ComparedSide& side);

// Returns how a row differs: "removed", "120 -> 12 calls a step", "each call 1.2 us -> 0.8 us".
std::string how_of(const DeltaGroup& group, const Comparison& comparison);

// "train.py:42 (step)"; empty where no line is known.
std::string place_of(const DeltaPart& part);

// "+1.20", "-0.03", "0.00": with its sign, in a column's unit.
std::string format_difference(double ns, const TimeUnit& unit);

// "+12.3 %" of A's step.
std::string format_change(double ratio);

}  // namespace stepscope
