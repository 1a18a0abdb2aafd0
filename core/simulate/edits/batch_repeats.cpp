// SPDX-License-Identifier: Apache-2.0
#include "core/simulate/edits/batch_repeats.hpp"

namespace stepscope {
namespace {

constexpr Estimate kLongerEach{0.1, 0, 0.5};

std::vector<std::size_t> launches_by_step(const Edit& edit) {
  std::vector<std::size_t> out(edit.graph.steps.size(), 0);
  for (const HostTask& task : edit.graph.host)
    if (task.op_count > 0 && edit.scope.holds(task, edit.graph)) ++out[task.step];
  return out;
}

}  // namespace

void batch_repeats(Edit& edit) {
  TaskGraph& graph = edit.graph;
  const std::vector<std::size_t> launches = launches_by_step(edit);
  const double longer = 1 + kLongerEach.at(edit.luck) * (edit.fix.every - 1);
  std::size_t nth = 0;
  std::uint32_t step = 0;
  for (HostTask& task : graph.host) {
    if (task.step != step) nth = 0;
    step = task.step;
    if (!edit.scope.holds(task, graph)) continue;
    const bool stays = nth * edit.fix.every < launches[step];
    if (task.op_count > 0) ++nth;
    if (stays) {
      for (DeviceTask& op : graph.ops_of(task)) op.ns *= longer;
    } else {
      drop(graph, task);
    }
    ++edit.touched;
  }
  if (edit.touched > 0)
    edit.assume("a kernel takes a tenth longer for each further one in its batch (none to a half)");
}

}  // namespace stepscope
