// SPDX-License-Identifier: Apache-2.0
// Findings of a job as a whole, in place of one rank's findings about communication:
//
//   late_rank      fires for each rank that is later than the others by more than chance
//                  (lateness.hpp), if all would gain 1 % of the step by its coming in time; its
//                  lines are those that the ledger charges with the others' waiting
//                  forecast: the step less that gain, with a 90 % interval over the steps
//   exposed_comm   fires where comm.transfer, which no compute hides and which waits for nobody, owns
//                  3 % of all ranks' time
// Both abstain where collectives could not be matched, or ranks are missing.
#pragma once

#include <string>

#include "core/summary/summary.hpp"

namespace stepscope {

// `of_rank`: what the rules found in one rank, which is `rank`. `undecided`: why nobody can be
// called late; empty where that is known.
Findings find_in_job(const Summary& job, std::int32_t rank, Findings of_rank,
                     const std::string& undecided);

}  // namespace stepscope
