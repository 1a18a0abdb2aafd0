// SPDX-License-Identifier: Apache-2.0
// Steps of a program of which only samples are known, by its loops' own counts: with each sample
// goes how many iterations each `for` of the thread has begun (collectors/host_sampler/loop_counts).
//
// The number of iterations is exact from the first sample on. When one began is known to the distance
// of two samples: those that began in between are spread evenly. Of a visit to a loop, iterations
// that the last sample did not see yet are known by the iterator's end.
//
// Which loop of several in each other: the outermost that covers most of the run, or one inside it
// that fills nearly all of it with many iterations each time (batches of an epoch). A loop whose
// visits are shorter than three samples, or whose iterations take under 0.1 ms, is none.
#pragma once

#include "core/steps/finders/loop.hpp"

namespace stepscope {

// Of a process that has a single range and samples.
Loop find_counted_loops(const Activity& activity);

}  // namespace stepscope
