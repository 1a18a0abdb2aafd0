// SPDX-License-Identifier: Apache-2.0
// Work of a rank that takes longer because a collective of its own waits beside it for a late rank.
//
// A collective on a device waits by spinning: its kernel holds multiprocessors and memory bandwidth,
// so the kernels beside it take longer. What they would take without that, the late rank shows: it
// does the same work while nothing of its own waits. Its device may be slower at everything, so its
// times are first divided by how much longer it takes for what neither does beside a wait (for nine
// tenths of that, at least as much longer). What is left of the difference, as far as it lies
// beside the wait, is charged like the rank's other waits of that step.
//
// Work is the same where the owner (cause, phase, line, operation) is, and where neither rank takes
// more than twice as long for it as the other. Where the late rank does other work, as in a
// pipeline, nothing is charged.
//
// Invariant: the sum of a rank's step does not change. Units: ns.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/summary/job/rank_record.hpp"

namespace stepscope::job {

// One rank's time in one step by whose work owns it (a row of the records) and by owner.
using StepSums = std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t>;

// One rank's own work in one step, beside a collective that waits: by the rank that it waits for
// and by owner.
using WorkBesideWaits = std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t>;

struct Slowed {
  std::int64_t beside = 0;  // work of one rank and owner beside waits
  std::int64_t longer = 0;  // the part of it that is charged

  // How many times as long it takes as it does alone.
  double times_as_long() const;
};
// All steps of all ranks, by rank and owner.
using SlowedWork = std::map<std::pair<std::uint32_t, std::uint32_t>, Slowed>;

// `beside` and `sums` have an element for each rank. `sums` is changed; what was charged is added to `slowed`.
void charge_slowed_work(const std::vector<WorkBesideWaits>& beside, const Owners& owners,
                        std::vector<StepSums>& sums, SlowedWork& slowed);

}  // namespace stepscope::job
