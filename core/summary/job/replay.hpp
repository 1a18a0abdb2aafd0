// SPDX-License-Identifier: Apache-2.0
// Runs the programs of a job's ranks again, one of which does less of some of its work, to see when
// they end (replay_program.hpp says what a rank does).
//
// Time is that of the replay, event by event: a wait ends with the last entry, whichever that is then, and
// from that moment on the work beside it is as fast as it is alone.
// Units: ns by the first host's clock.
#pragma once

#include "core/summary/job/replay_program.hpp"

namespace stepscope::job {

// Returns how long the programs take, on the ranks' mean.
double replayed_ns(const std::vector<RankRecord>& ranks, const Ledger& ledger, Interval window,
                   const LessWork& less);

// Returns how much earlier the ranks, on their mean, would reach the end of the window.
double replayed_gain_ns(const std::vector<RankRecord>& ranks, const Ledger& ledger, Interval window,
                        const LessWork& less);

}  // namespace stepscope::job
