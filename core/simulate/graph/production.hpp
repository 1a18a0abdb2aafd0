// SPDX-License-Identifier: Apache-2.0
// Models what others make for the loop's thread while it works: the batches of a loader with
// workers, and what it waits for at a lock. How long making one takes is learnt from the recorded
// waits.
//
//   asked i    the end of take i - depth: taking one asks for the next
//   ready i    max(asked i, ready i - workers) + making i        (thing i is made by i mod workers)
//   take i     begins where the loop is, ends at max(begin, ready i) + what taking costs
//
// The first task of a take waits; what the loop did in it before the batch was there costs nothing.
//
// A take that was longer than taking costs waited: there `ready` is known, and so is `making`. For
// the other takes, `making` is the workers' time a batch, by their clocks (worker_time.hpp), less
// what the awaited ones took of it. Without clocks, the others are like the awaited ones; where no
// take waited, making may have taken any time up to that at which the loop would have waited, and at
// least what the workers computed, where the process that forked them read that. A
// step with one take more than usual holds the end of an epoch: there the loader begins anew.
#pragma once

#include "core/attribution/process_index.hpp"
#include "core/simulate/graph/loader_takes.hpp"
#include "core/simulate/graph/task_graph.hpp"
#include "core/steps/steps.hpp"

namespace stepscope {

// The graph's producers: first the loaders, in the order of their numbers, then the locks.
void learn_production(const ProcessIndex& index, const Steps& steps, const LoaderTakes& takes,
                      TaskGraph& graph);

}  // namespace stepscope
