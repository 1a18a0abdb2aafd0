// SPDX-License-Identifier: Apache-2.0
// Steps of a program that is known by samples alone, from its loops' own counts: each sample holds
// how many iterations each `for` of the thread has begun (collectors/host_sampler/loop_counts).
//
// The number of iterations is exact from the first sample on. The begin of one is known to the
// distance of two samples: those that began in between are spread evenly. Iterations of a visit
// behind its last sample are known from the iterator's end.
//
// Which loop of several in each other: the outermost that covers most of the run, or one inside it
// that fills nearly all of it with many iterations each time (batches of an epoch). A loop whose
// visits are shorter than three samples, or whose iterations take under 0.1 ms, is none.
#pragma once

#include "core/steps/finders/loop.hpp"

namespace stepscope {

// Finds steps in a process that has a single range and samples.
Loop find_counted_loops(const Activity& activity);

}  // namespace stepscope
