// SPDX-License-Identifier: Apache-2.0
// Which sends, receives and broadcasts of several ranks are one message, and for whom a kernel of
// them waits. The root of a broadcast sends to all others.
//
// A communicator numbers its ranks in the order of the job's. The n-th send from one of them to
// another is the n-th receive there. A kernel is held up by the one of its other ends that was
// entered last. Two kernels of which each is held up by the other are one JobCollective; a kernel
// that is held up by one that waits for a third rank is one of its own, with that one as `awaited`.
// A send that ended before its receive began went into the library's buffer, and neither waited.
#pragma once

#include <vector>

#include "core/summary/job/matching.hpp"

namespace stepscope::job {

// `clocks`: those of the ranks' hosts are known. Kernels that waited for nobody are left out.
std::vector<JobCollective> match_peers(const std::vector<RankRecord>& ranks, const Matches& clocks);

}  // namespace stepscope::job
