// SPDX-License-Identifier: Apache-2.0
// Which rank makes the others wait, and what all would gain if it came when the next one does.
//
//   cost of rank L in a step    what the ledger charges of other ranks' time to L's work
//   gain of balancing L         how much sooner all ranks are done, on their mean, in a replay of the job
//                               (replay.hpp) in which L does no more than the rank N that works most beside
//                               it, in the phases in which it does more (excess.hpp says of what). It is no
//                               more than what L works more than N in all, and no more than the least time
//                               in which the host of another rank only waited: a host that works all the
//                               time would hold them in L's place
//   work                        own time, without collectives. Where others waited most for L's
//                               transfers (a slow link), with what is no wait in them
//   L is late                   it costs the others time, and works more than every other rank by
//                               more than three standard errors over the steps: ranks that wait for
//                               each other in turns, by chance or as a pipeline's stages do, are
//                               none of them late
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
std::vector<Lateness> lateness_of(const Ledger& ledger, const std::vector<RankRecord>& ranks,
                                  const Owners& owners);

}  // namespace stepscope::job
