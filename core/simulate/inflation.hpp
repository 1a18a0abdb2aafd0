// SPDX-License-Identifier: Apache-2.0
// Takes out of a graph what its recording cost, where the step's time without a profiler is known:
// each recorded range costs its thread the same, so much that the replay gives the plain step.
// Another account of the same: all host work took longer by one factor. Truth lies between them.
#pragma once

#include <optional>

#include "core/simulate/graph/task_graph.hpp"

namespace stepscope {

struct Deflated {
  double ns_per_record = 0;
};

// `plain_ns` of all steps of the graph. Nothing where no cost a record gives it: the device alone
// takes longer, or the trace was not slowed.
std::optional<Deflated> deflate(TaskGraph& graph, double plain_ns);

// Host work times `factor`, device work as it is.
TaskGraph with_host_times(const TaskGraph& graph, double factor);

// Scales host times by the factor that gives the plain step, as near as one does.
TaskGraph deflate_in_proportion(const TaskGraph& graph, double plain_ns);

}  // namespace stepscope
