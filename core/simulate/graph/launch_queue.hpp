// SPDX-License-Identifier: Apache-2.0
// How many launches may be outstanding before a call blocks, and what blocked calls take of their
// own, learnt from the replayed steps.
//
// Attribution learns the depth from single long calls (dependencies.hpp). Where the queue is full
// for most of a step every call is a little longer instead: calls that began just below the most
// that was ever outstanding, and took longer than those that found room, waited for a slot.
#pragma once

#include "core/model/trace.hpp"
#include "core/simulate/graph/task_graph.hpp"

namespace stepscope {

void learn_queue(const Trace& trace, TaskGraph& graph);

}  // namespace stepscope
