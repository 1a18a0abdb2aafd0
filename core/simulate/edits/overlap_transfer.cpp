// SPDX-License-Identifier: Apache-2.0
// Communication (or the scope's copies) runs on a stream of its own. It still waits for what stood
// before it; what follows goes on, but for the optimizer, which needs the result. Without an
// optimizer in the step the transfer ends the step, as all work does. Copies to the device instead
// run a step ahead (upload_ahead.cpp).
#include "core/simulate/edits/edits.hpp"

namespace stepscope {
namespace {

constexpr Estimate kContention{1.1, 1.0, 1.35};  // a transfer beside compute takes longer

bool is_transfer(const Edit& edit, const DeviceTask& op) {
  if (op.dropped || is_upload(edit, op)) return false;
  const bool moves = op.cause == Cause::comm_transfer || op.cause == Cause::comm_late_rank ||
                     (!edit.scope.is_everything() && op.copy != CopyKind::none);
  return moves && edit.scope.holds(op);
}

// Where it has a stream of its own already, it can begin before its last input is there: gradients
// come one after another, and go in buckets. So much of it runs beside the compute before that.
constexpr Estimate kEarly{0.75, 0.9, 0.25};

// Returns the op behind which `ns` of compute are left on the stream of `row`, within its phase.
// Earlier ops were issued before, so their rows are lower.
std::uint32_t earlier_by(const TaskGraph& graph, std::uint32_t row, double ns) {
  const DeviceTask& last = graph.device[row];
  std::uint32_t at = row;
  for (std::uint32_t i = row + 1; i-- > 0 && ns > 0;) {
    const DeviceTask& op = graph.device[i];
    if (op.stream != last.stream || op.dropped) continue;
    if (op.phase != last.phase || !is_device_compute(op.cause)) break;
    at = i;
    ns -= op.ns;
  }
  return at;
}

// Instead of the last input it awaits an earlier one.
void start_early(Edit& edit, DeviceTask& transfer) {
  TaskGraph& graph = edit.graph;
  for (std::uint32_t i = 0; i < transfer.awaited_count; ++i) {
    std::uint32_t& awaited = graph.awaited[transfer.first_awaited + i];
    if (!is_device_compute(graph.device[awaited].cause)) continue;
    awaited = earlier_by(graph, awaited, kEarly.at(edit.luck) * transfer.ns);
    transfer.arrival_ns = 0;
    edit.assume(
        "three quarters of a transfer run beside the compute before its last input, in "
        "buckets (a quarter to nine tenths)");
  }
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
  upload_ahead(edit);
  TaskGraph& graph = edit.graph;
  const std::size_t uploads = edit.touched;
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
        const std::uint32_t before = last[op.stream];
        if (before == kNone || is_transfer(edit, graph.device[before])) {
          start_early(edit, op);
        }
        if (before != kNone) await(graph, op, {before});
        last[op.stream] = row;
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
  if (edit.touched > uploads)
    edit.assume("a transfer beside compute takes 1.1 times as long (1.0 to 1.35)");
}

}  // namespace stepscope
