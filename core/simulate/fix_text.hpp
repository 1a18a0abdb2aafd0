// SPDX-License-Identifier: Apache-2.0
// Fixes as text that fix_reader reads back, and how much of its work each changes.
#pragma once

#include <string>
#include <vector>

#include "core/attribution/attribution.hpp"
#include "core/model/trace.hpp"
#include "core/simulate/fix.hpp"

namespace stepscope {

// Of several lines or phases all are named; one that a finding proposes is named by it.
std::string text_of(const Fix& fix, const Trace& trace, const Attribution& attribution);
std::string text_of(const std::vector<Fix>& fixes, const Trace& trace,
                    const Attribution& attribution);

// How much of it: "1 in 2", "4 workers", "x0.5"; of several, those that differ. Empty: all or
// nothing.
std::string amount_of(const std::vector<Fix>& fixes);

std::string phase_path(const std::vector<Phase>& phases, PhaseId phase);  // "train/eval"

}  // namespace stepscope
