// SPDX-License-Identifier: Apache-2.0
// Findings with their forecasts, from the one replay that `stepscope whatif` asks, too: so a fix
// has one price, whoever prints it.
#pragma once

#include "core/findings/all_findings.hpp"

namespace stepscope {

// Makes the simulator for the step that the summary judges: without recording, where that is known.
Result<Simulator> simulator_of(const Trace& trace, const Steps& steps,
                               const Attribution& attribution, const Summary& summary);

Findings find_all_replayed(const Trace& trace, const Steps& steps, const Attribution& attribution,
                           const Summary& summary);
// Asks this replay, which is simulator_of() the same.
Findings find_all_replayed(const Trace& trace, const Steps& steps, const Attribution& attribution,
                           const Summary& summary, const Result<Simulator>& simulator);

}  // namespace stepscope
