// SPDX-License-Identifier: Apache-2.0
// From a trace and its attribution to the task graph of some of its steps. Edges are those of
// core/attribution (dependencies.hpp), read for any timing and not only for the recorded one: a
// synchronisation waits for all that its stream holds, also where nothing was left to wait for when
// it was recorded.
#pragma once

#include <vector>

#include "core/attribution/process_index.hpp"
#include "core/model/trace.hpp"
#include "core/simulate/graph/task_graph.hpp"
#include "core/simulate/sample.hpp"
#include "core/steps/steps.hpp"

namespace stepscope {

TaskGraph build_graph(const ProcessIndex& index, const Steps& steps, const Attribution& attribution,
                      const std::vector<StepInSample>& sample);

// Learns how many launches may be outstanding before a call blocks, and what blocked calls take of
// their own.
void learn_queue(const Trace& trace, TaskGraph& graph);

}  // namespace stepscope
