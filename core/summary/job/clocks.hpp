// SPDX-License-Identifier: Apache-2.0
// By how much the clocks of a job's hosts differ.
//
// Ranks of one host share a clock (shared_clocks.hpp). The first rank's is the one that the others are told by;
// a host that shares no collective with its host is told by one that does, and so on.
//
// A rank records the end of a collective some delay after the moment that is the same for all (its
// last messages; its begins are not alike: that difference is what a late rank costs). The delays of
// all ranks are taken to have one mean, so the mean of a host's ends less that of the first
// host's is offset + drift * time + scatter. The line is found from the medians of up to 16 windows
// of time, and then by least squares in which no point pulls harder than one at 1.345 standard
// deviations (Huber 1964): nearly as sharp as the mean, and a few ends that are far off do not move it.
// The error is that of 19 in 20, by how far the points scatter about the line, where the line is
// least certain: at its ends.
#pragma once

#include <vector>

#include "core/summary/job/matching.hpp"

namespace stepscope::job {

// Sets the clocks of `out`, of whose collectives all members are known.
void find_clocks(const std::vector<RankRecord>& ranks, Matches& out);

}  // namespace stepscope::job
