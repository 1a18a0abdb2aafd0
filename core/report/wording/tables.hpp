// SPDX-License-Identifier: Apache-2.0
// Cells of tables that need words: how often a phase runs, for whom a transfer waited.
#pragma once

#include <string>

#include "core/report/wording/step_scale.hpp"

namespace stepscope {

// Whether a table of phases says anything: more than that no part of the run has a name.
bool says_phases(const Summary& summary);

// What stands in brackets behind a phase's name: "1 step in 10: 210 ms"; of "forward", where no
// range of the user says so, what else is in it. Empty: nothing.
std::string phase_remark_text(const PhaseRow& row);

// "0.077, rank 1 83 %": how long a step, and for which rank most of that. Empty: for none.
std::string waited_for_text(const StepScale& scale, const TransferRow& row);

// The title of a column of exact totals: "ns, 18 steps".
std::string exact_title(std::uint64_t steps);

// "host.python" of an inflated run's host: "Python code (inflated)".
std::string cause_meaning(const StepScale& scale, Cause cause);

}  // namespace stepscope
