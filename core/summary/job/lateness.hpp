// SPDX-License-Identifier: Apache-2.0
// Which rank makes the others wait, and what all would gain if it came when the next one does.
//
//   cost of rank L in a step    what the ledger charges of other ranks' time to L's work
//   gain of balancing L         of the ranks that are not L, the least that one of them waited for
//                               it: then the next rank would hold them. It is no more than the
//                               least time in which the host of one of them only waited: a host that
//                               works all the time would hold them in L's place
//   L is later than the others  its cost is above that of the next costly rank by more than three
//                               standard errors over the steps: ranks that wait for each other in
//                               turns by chance are none of them late
#pragma once

#include <cstdint>
#include <vector>

#include "core/summary/job/ledger.hpp"

namespace stepscope::job {

struct LateReason {
  std::uint32_t owner = 0;
  std::int64_t ns_total = 0;
};

struct Lateness {
  std::int64_t cost_ns_total = 0;  // all other ranks' time, summed over them
  std::int64_t gain_ns_total = 0;
  std::vector<std::int64_t> gain_by_step;
  std::vector<LateReason> reasons;  // largest first; they sum to cost_ns_total
  bool is_late = false;
};

// Returns the lateness by row of the records.
std::vector<Lateness> lateness_of(const Ledger& ledger, const std::vector<RankRecord>& ranks);

}  // namespace stepscope::job
