// SPDX-License-Identifier: Apache-2.0
// batch_repeats: work that a phase does `every` times one after another in a step is done once for
// all of them. The first 1/every of its launches in a step stay, with the host work before them; a
// kernel that then works on all takes longer by a tenth for each further one (an assumption).
#include "core/simulate/edits/edits.hpp"

#include <map>
#include <utility>

namespace stepscope {
namespace {

constexpr Estimate kLongerEach{0.1, 0, 0.5};

// Launches of one step and one phase: forward and gradients are each done once for all.
using Launches = std::map<std::pair<std::uint32_t, PhaseId>, std::size_t>;

Launches count_launches(const TaskGraph& graph, const Selection& scope) {
  Launches out;
  for (const HostTask& task : graph.host)
    if (task.op_count > 0 && scope.holds(task, graph)) ++out[{task.step, task.phase}];
  return out;
}

}  // namespace

void batch_repeats(Edit& edit) {
  TaskGraph& graph = edit.graph;
  const Selection scope = edit.scope.with_gradients();
  const Launches launches = count_launches(graph, scope);
  Launches passed;
  const double longer = 1 + kLongerEach.at(edit.luck) * (edit.fix.every - 1);
  for (HostTask& task : graph.host) {
    if (!scope.holds(task, graph)) continue;
    const std::pair place(task.step, task.phase);
    const auto all = launches.find(place);
    std::size_t& nth = passed[place];
    const bool stays = all != launches.end() && nth * edit.fix.every < all->second;
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
