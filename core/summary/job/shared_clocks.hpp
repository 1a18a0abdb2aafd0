// SPDX-License-Identifier: Apache-2.0
// Which ranks share a clock.
//
// Ranks that name one host do, unless they contradict it: collectives that the library numbered, so
// that they are surely the same, would by one clock have ended on one rank before the other entered. Two
// machines may bear one name, or a rank the name of a machine on which it does not run. Then ranks share a
// clock that do not contradict each other, and those that do not contradict these.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/summary/job/matching.hpp"

namespace stepscope::job {

// Returns by row of the records: the first of the ranks that share its clock.
std::vector<std::uint32_t> clock_leaders(const std::vector<RankRecord>& ranks,
                                         const std::vector<JobCollective>& collectives);

// Says which names more than one clock bears.
std::vector<std::string> clock_notes(const std::vector<RankRecord>& ranks,
                                     const std::vector<std::uint32_t>& leaders);

}  // namespace stepscope::job
