// SPDX-License-Identifier: Apache-2.0
// What each call of a graph waits for, by its meaning and not only by what it met when it was
// recorded, and what its return takes after that.
#include "core/simulate/graph/device_tasks.hpp"

#include <algorithm>

#include "core/support/statistics.hpp"

namespace stepscope {
namespace {

// A call that ended before what it is said to wait for, by more than clocks differ, did not.
constexpr std::int64_t kClockNs = 5'000;
// Uploads of pageable memory up to this size are copied aside by the call, which goes on at once.
constexpr std::uint64_t kStagedBytes = 64 << 10;
constexpr double kLongestGapNs = 10'000;  // behind the stream's work, as the walk explains it
constexpr double kUsualReturnNs = 7'000;
constexpr double kUsualEmptySyncNs = 2'000;

class Waits {
 public:
  Waits(const ProcessIndex& index, DeviceTasks& device, TaskGraph& graph)
      : index_(index), trace_(index.trace), device_(device), graph_(graph) {
    last_stream_.assign(graph.threads, kNone);
    last_end_.assign(graph.streams + trace_.data().streams.size(), kNone);
  }

  void find() {
    for (HostTask& task : graph_.host) {
      if (task.call == kNone) continue;
      if (is_sync(task.api)) {
        synchronisation(task);
      } else if (task.op_count > 0) {
        copy(task);
      } else if (task.api == ApiKind::free_device) {
        free_memory(task);
      }
      note_issued(task);
    }
    give_times();
  }

 private:
  void note_issued(const HostTask& task) {
    for (std::uint32_t i = 0; i < task.op_count; ++i) {
      const std::uint32_t row = task.first_op + i;
      last_stream_[task.thread] = graph_.device[row].stream;
      last_end_[graph_.device[row].stream] = row;
    }
  }

  std::int64_t recorded_end(std::uint32_t row) const {
    return trace_.device_ops().end[graph_.device[row].op];
  }

  void synchronisation(HostTask& task) {
    const DeviceOpId awaited = index_.dependencies.awaited_by(task.call);
    const std::uint32_t row = awaited == kNone ? kNone : device_.row_of(awaited);
    if (awaited != kNone) note_wait(task, trace_.device_ops().end[awaited]);
    if (task.api == ApiKind::sync_device) {
      task.wait = WaitKind::device;
    } else if (task.api == ApiKind::sync_event) {
      const DeviceOpId behind = index_.dependencies.event_target(task.call);
      task.wait_on = behind == kNone ? row : device_.row_of(behind);
      task.wait = task.wait_on == kNone ? WaitKind::none : WaitKind::op;
    } else {
      task.wait_on = stream_of(task, row);
      task.wait = task.wait_on == kNone ? WaitKind::device : WaitKind::stream;
    }
    if (!is_possible(task)) task.wait = row == kNone ? WaitKind::none : WaitKind::op;
    if (task.wait == WaitKind::op && task.wait_on == kNone) task.wait_on = row;
  }

  // Returns the stream of the call, else of what it waited for, else the one that the thread used
  // last.
  std::uint32_t stream_of(const HostTask& task, std::uint32_t awaited) {
    const StreamId recorded = trace_.calls().stream[task.call];
    if (recorded != kNone) return device_.number_of(recorded);
    return awaited != kNone ? graph_.device[awaited].stream : last_stream_[task.thread];
  }

  // cudaFree waits for the device, where its end shows that it did.
  void free_memory(HostTask& task) {
    std::int64_t last = 0;
    for (const std::uint32_t row : last_end_)
      if (row != kNone) last = std::max(last, recorded_end(row));
    if (last <= task.begin || last > task.end) return;
    task.wait = WaitKind::device;
    task.return_ns = static_cast<double>(task.end - last);
    task.ns = std::min(task.ns, task.return_ns);
  }

  // Whether the wait is possible: not if the recorded call returned although its stream still
  // worked.
  bool is_possible(HostTask& task) const {
    if (task.wait != WaitKind::stream) return true;
    const std::uint32_t last = task.wait_on < last_end_.size() ? last_end_[task.wait_on] : kNone;
    const bool possible = last == kNone || recorded_end(last) <= task.end + kClockNs;
    if (!possible) task.wait_on = kNone;
    return possible;
  }

  // Copies from or to pageable memory, and blocking ones, hold their call until they are done; an
  // upload of pageable memory nearly so.
  void copy(HostTask& task) {
    const DeviceTask& op = graph_.device[task.first_op];
    const DeviceOps& d = trace_.device_ops();
    const bool blocking =
        task.api == ApiKind::memcpy_blocking || task.api == ApiKind::memset_blocking;
    const bool ended = d.end[op.op] <= task.end;
    const bool pinned = d.source_memory[op.op] == MemoryKind::pinned ||
                        d.target_memory[op.op] == MemoryKind::pinned;
    const bool download = op.copy == CopyKind::device_to_host && !pinned;
    const bool upload = op.cause == Cause::copy_h2d_pageable && d.begin[op.op] < task.end &&
                        (op.bytes > kStagedBytes || op.bytes == kUnknownBytes);
    const bool waits = ended && (blocking || download);
    if (!waits && !upload) return;
    if (upload) begins_behind_its_stream(graph_.device[task.first_op], task);
    task.wait = WaitKind::own_ops;
    note_wait(task, d.end[op.op]);
  }

  // The call of an upload of pageable memory waits for its stream before it copies. That is no time
  // of its own: it goes when the stream's work does.
  void begins_behind_its_stream(DeviceTask& op, const HostTask& task) const {
    const std::uint32_t before = last_end_[op.stream];
    if (before == kNone || recorded_end(before) <= task.begin) return;
    const auto gap = static_cast<double>(trace_.device_ops().begin[op.op] - recorded_end(before));
    if (gap < 0 || gap > kLongestGapNs) return;
    op.arrival_ns = std::min(op.arrival_ns, graph_.copy_call_ns + graph_.latency_ns);
    op.gap_ns = gap;
  }

  // A call's own time is what it takes where nothing is left to wait for.
  void give_times() {
    std::vector<double> empty;
    std::vector<double> returns;
    for (const Awaited& awaited : waited_) {
      if (is_sync(awaited.task->api)) returns.push_back(awaited.return_ns);
      awaited.task->return_ns = awaited.return_ns;
    }
    for (const HostTask& task : graph_.host) {
      if (is_sync(task.api) && task.return_ns == 0) empty.push_back(task.ns);
    }
    const double usual_return = returns.empty() ? kUsualReturnNs : median_of(returns);
    const double usual_empty =
        std::min(empty.empty() ? kUsualEmptySyncNs : median_of(std::move(empty)), kUsualReturnNs);
    for (HostTask& task : graph_.host) {
      if (is_sync(task.api) && task.return_ns == 0) task.return_ns = usual_return;
    }
    for (const Awaited& awaited : waited_) {
      const double own = is_sync(awaited.task->api) ? usual_empty : graph_.launch_call_ns;
      awaited.task->ns = std::min(awaited.task->ns, own);
    }
  }

  void note_wait(HostTask& task, std::int64_t awaited_end) {
    waited_.push_back({&task, static_cast<double>(task.end - awaited_end)});
  }

  struct Awaited {
    HostTask* task;
    double return_ns;
  };

  const ProcessIndex& index_;
  const Trace& trace_;
  DeviceTasks& device_;
  TaskGraph& graph_;
  std::vector<std::uint32_t> last_stream_;  // a thread: the stream that it used last
  std::vector<std::uint32_t> last_end_;     // a stream: the op that it holds last
  std::vector<Awaited> waited_;             // calls that waited as recorded
};

}  // namespace

void find_waits(const ProcessIndex& index, DeviceTasks& device, TaskGraph& graph) {
  Waits(index, device, graph).find();
}

}  // namespace stepscope
