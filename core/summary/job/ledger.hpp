// SPDX-License-Identifier: Apache-2.0
// The job's ledger: every nanosecond of every rank has one owner, and the time in which a rank waits
// for a late one is owned by what made that one late.
//
// A rank r waits in a collective C until the last rank L enters. Both left their last common
// meeting at the same moment: the end of a collective at which neither had other work. What L did
// since then more than r, by cause, phase and line, is why it came late; where one of the two did
// the same work under another name (within one line, then within one phase) that cancels. The wait
// is split over what is left, in proportion, in integers that sum to it. Time that L itself waited
// for another rank stands for what made that one late, so a chain is followed to its end. It has
// one: waits are settled in the order in which they ended, and a wait only rests on earlier ones.
//
// A transfer belongs to the wait right behind it where the late rank worked beside it: without it
// the rank had waited from there on.
//
// What is not settled stays comm.late_rank at the waiting rank's own line: where the lateness is
// within the error of the clocks, or where L's own wait was not over. What a rank spends in a
// collective after the last one entered is comm.transfer.
//
// Invariant: the cells of a step sum to the number of ranks times the step's window, exactly.
// Units: ns by the first host's clock.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/summary/job/matching.hpp"
#include "core/summary/job/slowed_work.hpp"

namespace stepscope::job {

struct JobCell {
  std::uint32_t step = 0;     // row of Ledger::steps
  std::uint32_t rank = 0;     // row of the records: whose time it is
  std::uint32_t by_rank = 0;  // whose work owns it; another than `rank`: it waited for that
  std::uint32_t owner = 0;
  std::int64_t ns = 0;
};

struct Ledger {
  std::vector<Interval> steps;  // the first rank's steps, as far as every rank counts them
  // The first rank's step of which `steps` holds the part that every rank recorded, since none
  // recorded a step of the others whole; absent: steps are whole.
  std::optional<Interval> part_of;
  std::vector<JobCell> cells;  // sorted by (step, rank, by_rank, owner)
  Matches matches;
  SlowedWork slowed;
  // By the owner of pieces in which a rank takes part in a collective: that of its transfer.
  std::map<std::uint32_t, std::uint32_t> transfer_of;
  std::vector<std::uint64_t> times_last;  // by row of the records: collectives that waited for it
};

struct LedgerOptions {
  // Ranks of the job are missing, so who came last is not known: nothing is charged.
  bool incomplete = false;
  std::optional<Matches> matches;  // those of these ranks, where they have been found already
};

// `owners` takes the owners that the ledger makes (comm.transfer, comm.late_rank).
Ledger build_ledger(const std::vector<RankRecord>& ranks, Owners& owners,
                    LedgerOptions options = {});

}  // namespace stepscope::job
