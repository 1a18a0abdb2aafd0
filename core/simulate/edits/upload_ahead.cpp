// SPDX-License-Identifier: Apache-2.0
// The scope's copies to the device run a step ahead on a stream of their own, into a second buffer:
// a copy waits for nothing on the device, and what used it awaits the one that was issued the step
// before. The part of overlap_transfer that is about uploads.
#include "core/simulate/edits/edits.hpp"

#include <algorithm>

namespace stepscope {
namespace {

// Copy engines take the memory's bandwidth from compute, and compute takes it from them: little of
// each, for a link carries a fortieth of what the memory does.
constexpr Estimate kBesideCompute{1.02, 1.0, 1.1};

using OpRows = std::vector<std::uint32_t>;

// Returns the uploads of the scope by sampled step, as issued.
std::vector<OpRows> uploads_of_steps(const Edit& edit) {
  std::vector<OpRows> out(edit.graph.steps.size());
  for (const HostTask& task : edit.graph.host) {
    for (std::uint32_t row = task.first_op; row < task.first_op + task.op_count; ++row)
      if (is_upload(edit, edit.graph.device[row])) out[task.step].push_back(row);
  }
  return out;
}

// The same upload of the step before; of the first sampled step, of the last one.
std::uint32_t one_step_before(const std::vector<OpRows>& uploads, std::size_t step,
                              std::size_t nth) {
  const OpRows& before = uploads[step == 0 ? uploads.size() - 1 : step - 1];
  return before.empty() ? kNone : before[std::min(nth, before.size() - 1)];
}

class Ahead {
 public:
  explicit Ahead(const Edit& edit) : graph_(edit.graph), uploads_(uploads_of_steps(edit)) {
    earlier_.assign(graph_.device.size(), kNone);
    is_upload_.assign(graph_.device.size(), false);
    for (std::size_t step = 0; step < uploads_.size(); ++step) {
      for (std::size_t nth = 0; nth < uploads_[step].size(); ++nth) {
        earlier_[uploads_[step][nth]] = one_step_before(uploads_, step, nth);
        is_upload_[uploads_[step][nth]] = true;
      }
    }
  }

  // Applies the edit in the order of issue: uploads leave their stream, its next op awaits them.
  std::size_t apply(double factor) {
    const std::uint32_t side = graph_.streams++;
    std::vector<OpRows> open(graph_.streams);
    std::size_t moved = 0;
    for (std::uint32_t row = 0; row < graph_.device.size(); ++row) {
      DeviceTask& op = graph_.device[row];
      if (is_upload_[row]) {
        if (earlier_[row] != kNone) open[op.stream].push_back(earlier_[row]);
        op.stream = side;
        op.awaited_count = 0;
        op.gap_ns = graph_.dispatch_ns;
        op.ns *= factor;
        ++moved;
      } else {
        await(op, open[op.stream]);
        open[op.stream].clear();
      }
    }
    return moved;
  }

 private:
  void await(DeviceTask& op, const OpRows& more) {
    OpRows all(more);
    bool changed = !more.empty();
    for (const std::uint32_t row : graph_.awaited_by(op)) {
      changed = changed || is_upload_[row];
      const std::uint32_t now = is_upload_[row] ? earlier_[row] : row;
      if (now != kNone) all.push_back(now);
    }
    if (!changed) return;
    op.first_awaited = static_cast<std::uint32_t>(graph_.awaited.size());
    op.awaited_count = static_cast<std::uint32_t>(all.size());
    graph_.awaited.insert(graph_.awaited.end(), all.begin(), all.end());
  }

  TaskGraph& graph_;
  std::vector<OpRows> uploads_;
  OpRows earlier_;  // by row
  std::vector<bool> is_upload_;
};

}  // namespace

bool is_upload(const Edit& edit, const DeviceTask& op) {
  return !op.dropped && op.copy == CopyKind::host_to_device && !edit.scope.is_everything() &&
         edit.scope.holds(op);
}

void upload_ahead(Edit& edit) {
  const std::size_t moved = Ahead(edit).apply(kBesideCompute.at(edit.luck));
  edit.touched += moved;
  if (moved > 0) {
    edit.assume(
        "uploads are issued a step ahead, from pinned memory into a second buffer: what they carry "
        "does not depend on the step before");
    edit.assume("an upload beside compute takes 1.02 times as long (1.0 to 1.1)");
  }
}

}  // namespace stepscope
