// SPDX-License-Identifier: Apache-2.0
// Fixes as text that fix_reader reads back, and how much of its work each changes.
#pragma once

#include <string>
#include <vector>

#include "core/attribution/attribution.hpp"
#include "core/model/trace.hpp"
#include "core/simulate/fix.hpp"

namespace stepscope {

// Returns the fix as fix_reader reads it. A scope of several lines or phases names all of them; the
// scope of a finding's fix is that finding's id.
std::string text_of(const Fix& fix, const Trace& trace, const Attribution& attribution);
std::string text_of(const std::vector<Fix>& fixes, const Trace& trace,
                    const Attribution& attribution);

// Returns how much of its work the fix changes: "1 in 2", "4 workers", "x0.5"; for several fixes,
// the amounts that differ. Empty: all or nothing.
std::string amount_of(const std::vector<Fix>& fixes);

std::string phase_path(const std::vector<Phase>& phases, PhaseId phase);  // "train/eval"

}  // namespace stepscope
