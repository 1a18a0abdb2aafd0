// SPDX-License-Identifier: Apache-2.0
// Reads what each rank of a job does in a window of time as a program that can be run again (replay.hpp).
//
//   work       takes as long as it did; beside a collective that waits for another rank, `times_as_long`
//   enter      the rank enters a collective, at the same point of its own work as it did
//   wait       until all have entered it
//   transfer   until `ns` after all have entered it
//
// Work that was recorded beside such a wait stands with what it would have taken alone, as far as the
// ledger knows that (slowed_work.hpp). Waits that were not matched are work. Units: ns.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/summary/job/ledger.hpp"

namespace stepscope::job {

struct LessWork {
  std::uint32_t rank = 0;  // row of the records
  // By the ledger's owner, transfers included; 1 of what does not stand here.
  std::map<std::uint32_t, double> kept_share;
};

struct Action {
  enum Kind : std::uint8_t { work, enter, wait, transfer };
  Kind kind = work;
  std::uint32_t match = kNone;  // row of Matches::collectives
  double ns = 0;                // work alone; transfer; of an entry: see `is_queued`
  double times_as_long = 1;
  // The rest is for entries.
  bool waits = false;  // the rank waits in it; else others wait for it there
  bool is_queued =
      false;  // it began when the collective before it had ended: `ns` after all had ...
  std::uint32_t before = kNone;  // ... entered that one, the rank's last in its communicator
};

struct Program {
  std::vector<Action> actions;
  std::vector<Action> entered;  // entries before the window
};

// Returns the programs by row of the records.
std::vector<Program> programs_of(const std::vector<RankRecord>& ranks, const Ledger& ledger,
                                 Interval window, const LessWork& less);

void move_to_issue(const Matches& matches, std::vector<Program>& programs);

}  // namespace stepscope::job
