// SPDX-License-Identifier: Apache-2.0
// A partition by phase: the stretches of time that belong to a phase or to one inside it. What
// PyTorch's own marks name is in it, as in the table of phases: the stays of a phase sum to its row
// there.
#pragma once

#include <vector>

#include "core/attribution/attribution.hpp"

namespace stepscope {

// Returns the stays in order of begin, outer phases first. The root has none.
std::vector<PhaseVisit> phase_stays(const Attribution& attribution);

}  // namespace stepscope
