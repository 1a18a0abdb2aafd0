// SPDX-License-Identifier: Apache-2.0
// All findings of a run with their forecasts by replay, where its trace can be replayed.
#pragma once

#include "core/findings/all_findings.hpp"

namespace stepscope {

// As find_all, with a replay made of the same trace. Where none can be made, or none that can be
// relied on, findings have no forecast and no_forecast says why.
Findings find_all_replayed(const Trace& trace, const Steps& steps, const Attribution& attribution,
                           const Summary& summary);

}  // namespace stepscope
