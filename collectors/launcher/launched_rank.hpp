// SPDX-License-Identifier: Apache-2.0
// `mpirun -n 4 stepscope profile -o job -- PROGRAM`, and srun alike: each rank is recorded by a
// profiler of its own, on its own host. All write into one folder, which may be one that hosts share:
//
//   job/rank0.scope, job/rank1.scope, ...      job.2/ where there is one of an earlier run
//
// Each decides by its own rank's folder alone, so that no rank waits for another.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "collectors/launcher/environment.hpp"

namespace stepscope::launcher {

struct LaunchedRank {
  std::int32_t rank = 0, size = 1;
};

// Nothing where no launcher started this process as one of several ranks.
std::optional<LaunchedRank> launched_rank(const Environment& environment);

// Returns "job/rank1" for "job" or "job.scope". `anew`: an earlier recording of that rank shall stay.
std::string name_of_rank(const std::string& name, std::int32_t rank, bool anew);

}  // namespace stepscope::launcher
