// SPDX-License-Identifier: Apache-2.0
// Replays all ranks of a job, one of which does less of some of its work, to see when they end.
//
//   work          takes as long as it did; that of the rank, its share of it
//   entry         a rank enters a collective at the same point of its own work as it did
//   wait          ends when the last rank has entered, whichever that is then
//   transfer      ends as long after the last entry as it did
//
// That work beside a wait is slowed by it is not replayed, nor are waits that were not matched.
// Units: ns by the first host's clock.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/summary/job/matching.hpp"

namespace stepscope::job {

struct LessWork {
  std::uint32_t rank = 0;                      // row of the records
  std::map<std::uint32_t, double> kept_share;  // by owner; 1 of what does not stand here
};

// Returns how much earlier the ranks, on their mean, would reach the end of the window.
double replayed_gain_ns(const std::vector<RankRecord>& ranks, const Matches& matches,
                        Interval window, const LessWork& less);

}  // namespace stepscope::job
