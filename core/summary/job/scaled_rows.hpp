// SPDX-License-Identifier: Apache-2.0
// A rank's tables over as many steps as the job counts. A rank may count a step more at either end than
// the job does, whose steps are those that all ranks counted.
#pragma once

#include <cstdint>

#include "core/summary/summary.hpp"

namespace stepscope::job {

// Returns `rank` with calls, bytes, counts and device times of `steps` steps that are each the mean of
// its own counted ones, rounded; the places of a count still sum to it. The rest is left as it is: its
// partition and the times of its cells, lines and phases. A rank that counts `steps` is unchanged.
Summary scaled_rows(Summary rank, std::uint64_t steps);

}  // namespace stepscope::job
