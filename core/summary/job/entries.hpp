// SPDX-License-Identifier: Apache-2.0
// When the ranks of a job entered collectives, in the order of each rank's time.
//
// An entry is queued where it follows the end of the rank's collective before it, in the same
// communicator, at once: its stream or thread was not free. Units: ns by the first host's clock.
#pragma once

#include <vector>

#include "core/summary/job/replay_program.hpp"

namespace stepscope::job {

struct Entry {
  std::int64_t time = 0;
  Action action;
};
using Entries = std::vector<Entry>;  // one rank's, by time

// By rank and its use: row of Matches::collectives, or kNone.
using MatchOfUse = std::vector<std::vector<std::uint32_t>>;
MatchOfUse matches_of_uses(const std::vector<RankRecord>& ranks, const Matches& matches);

std::vector<Entries> entries_of(const std::vector<RankRecord>& ranks, const Matches& matches,
                                const MatchOfUse& match_of_use);

}  // namespace stepscope::job
