// SPDX-License-Identifier: Apache-2.0
#include "core/simulate/edits/overlap_transfer.hpp"

namespace stepscope {
namespace {

constexpr Estimate kContention{1.1, 1.0, 1.35};  // a transfer beside compute takes longer

bool is_transfer(const Edit& edit, const DeviceTask& op) {
  if (op.dropped) return false;
  const bool moves = op.cause == Cause::comm_transfer || op.cause == Cause::comm_late_rank ||
                     (!edit.scope.is_everything() && op.copy != CopyKind::none);
  return moves && edit.scope.holds(op);
}

void await(TaskGraph& graph, DeviceTask& task, const std::vector<std::uint32_t>& rows) {
  const auto before = graph.awaited_by(task);
  std::vector<std::uint32_t> all(before.begin(), before.end());
  all.insert(all.end(), rows.begin(), rows.end());
  task.first_awaited = static_cast<std::uint32_t>(graph.awaited.size());
  task.awaited_count = static_cast<std::uint32_t>(all.size());
  graph.awaited.insert(graph.awaited.end(), all.begin(), all.end());
}

}  // namespace

void overlap_transfer(Edit& edit) {
  TaskGraph& graph = edit.graph;
  const std::uint32_t side = graph.streams++;
  std::vector<std::uint32_t> last(graph.streams, kNone);  // a stream: its last op
  std::vector<std::uint32_t> open;                        // transfers that nobody waited for yet
  std::uint32_t step = 0;
  const auto take = [&](std::uint32_t row) {
    if (row != kNone && !open.empty()) await(graph, graph.device[row], open);
    open.clear();
  };
  for (const HostTask& task : graph.host) {
    if (task.step != step) open.clear();
    step = task.step;
    for (std::uint32_t row = task.first_op; row < task.first_op + task.op_count; ++row) {
      DeviceTask& op = graph.device[row];
      if (is_transfer(edit, op)) {
        if (last[op.stream] != kNone) await(graph, op, {last[op.stream]});
        op.stream = side;
        op.ns *= kContention.at(edit.luck);
        if (op.cause == Cause::comm_transfer) open.push_back(row);
        ++edit.touched;
      } else if (op.cause == Cause::gpu_optimizer) {
        take(row);
      }
      last[op.stream] = row;
    }
  }
  if (edit.touched > 0)
    edit.assume("a transfer beside compute takes 1.1 times as long (1.0 to 1.35)");
}

}  // namespace stepscope
