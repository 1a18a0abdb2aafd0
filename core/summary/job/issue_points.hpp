// SPDX-License-Identifier: Apache-2.0
// When ranks issued the collectives that were queued.
//
// A collective that begins as soon as the one before it has ended had been issued earlier: its stream or
// thread was not free. In a replay in which that one ends sooner, it begins where it was issued. When that
// was no rank says that waited, but the last one to enter does, for which nothing was queued: it was after
// as much of its own work behind the collective before it. All ranks do the same there, so the entries of
// the others move back to that point of their own work.
#pragma once

#include "core/summary/job/replay_program.hpp"

namespace stepscope::job {

void move_to_issue(const Matches& matches, std::vector<Program>& programs);

}  // namespace stepscope::job
