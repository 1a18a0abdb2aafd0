// SPDX-License-Identifier: Apache-2.0
// All rules over one run: what costs time and what to do about it, what was looked at and cleared,
// and what cannot be found in this trace.
#pragma once

#include <string_view>
#include <vector>

#include "core/simulate/simulator.hpp"
#include "core/summary/summary.hpp"

namespace stepscope {

// `forecaster` may be empty: then findings are ordered by their ceilings, and no_forecast says why.
// `summary` is that of the same trace, steps and attribution.
Findings find_all(const Trace& trace, const Steps& steps, const Attribution& attribution,
                  const Summary& summary, const Forecaster& forecaster);

// The ids of all rules, in the order in which they are judged.
std::vector<std::string_view> finding_ids();

}  // namespace stepscope
