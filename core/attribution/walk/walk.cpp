// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/walk/walk.hpp"

#include <algorithm>

#include "core/attribution/host/threads.hpp"
#include "core/attribution/process_index.hpp"

namespace stepscope {

Walk::Walk(const ProcessIndex& index)
    : index_(index), owners_(index), call_time_(index, owners_), dispatch_gap_(index, owners_) {}

void Walk::explain(Interval idle, DeviceOpId next, std::vector<Segment>& out) const {
  if (idle.empty()) return;
  const auto before = static_cast<std::ptrdiff_t>(out.size());
  const ThreadId loop = index_.threads.loop();
  WalkPath path{idle.begin, idle.end, out, next, loop};
  if (next == kNone && index_.threads.work(loop).piece_before(idle.end).innermost == kNone) {
    // No host range covers the interval's end: the run may still wait for another device.
    path.op = index_.dependencies.running_at(idle.end - 1);
    if (path.op != kNone)
      owners_.device(path, index_.trace.device_ops().begin[path.op], Cause::gpu_wait_peer, path.op);
  }
  while (!path.done()) {
    if (path.op != kNone) {
      at_op(path);
    } else if (!through_piece(path)) {
      owners_.host(path, path.begin, Cause::unknown, path.thread,
                   kNone);  // hand-offs in a circle: no evidence
    }
  }
  std::reverse(out.begin() + before, out.end());
}

// Whether an op waited for a launch that the trace lacks. Other tools' traces cut records, or hold
// ids that do not match; then the loop's thread shows why the device was idle.
bool Walk::is_launched_unseen(DeviceOpId op, const Readiness& ready) const {
  const bool nothing_else = ready.binding == Binding::none || ready.binding == Binding::stream;
  if (!nothing_else || index_.trace.launch_of(op) != kNone ||
      index_.trace.data().source == SourceKind::stepscope)
    return false;
  const ThreadId loop = index_.threads.loop();
  const Piece now = index_.threads.work(loop).piece_before(index_.trace.device_ops().begin[op]);
  return !is_unexplained(index_.causes.of(loop, now));
}

// Follows what delayed path.op until path.time, which is at most its begin. A predecessor began no
// later than the op, so a chain of them ends.
void Walk::at_op(WalkPath& path) const {
  const DeviceOpId op = path.op;
  const Readiness ready = index_.dependencies.readiness(op);
  if (is_launched_unseen(op, ready)) {
    if (ready.binding == Binding::stream)
      owners_.device(path, std::max(ready.time, path.time - DispatchGap::kLimitNs),
                     Cause::gpu_dispatch_gap, op);
    path.go_on(index_.threads.loop());
    return;
  }
  if (ready.binding == Binding::none) {
    owners_.device(path, path.begin, Cause::unknown, op);
    return;
  }
  if (ready.binding == Binding::launch) {
    const RangeId call = index_.trace.calls().range[ready.launch];
    const std::int64_t issued = ready.time - index_.dependencies.edges().launch_latency_ns;
    dispatch_gap_.own(path, op, {Binding::launch, issued, ready.launch, kNone});
    path.go_on(index_.trace.host_ranges().thread[call]);
    return;
  }
  dispatch_gap_.own(path, op, ready);
  owners_.device(path, index_.trace.device_ops().begin[ready.predecessor], Cause::gpu_wait_peer,
                 ready.predecessor);
  path.op = ready.predecessor;
}

// One piece, or one jump to another thread, back. False: jumping no longer makes progress.
bool Walk::through_piece(WalkPath& path) const {
  const ThreadId thread = path.thread;
  const Piece piece = index_.threads.work(thread).piece_before(path.time);
  const bool in_call =
      piece.innermost != kNone &&
      family_of(index_.trace.host_ranges().kind[piece.innermost]) == HostFamily::api;
  if (in_call) {
    call_time_.own(path, thread, piece);
    return true;
  }
  const Cause cause = index_.causes.of(thread, piece);
  const HandOver jump = handed_over(path, piece, cause);
  if (jump.to != kNone) {
    owners_.host(path, jump.at, cause, thread, piece.innermost);
    path.go_on(jump.to);
    return ++path.jumps_without_progress < 3;
  }
  const bool worker_gap = index_.threads.is_worker(thread) && piece.innermost == kNone;
  if (cause == Cause::host_other && !worker_gap) {
    own_silence(path, thread, piece);
  } else {
    owners_.host(path, piece.time.begin, worker_gap ? Cause::host_framework : cause, thread,
                 piece.innermost);
  }
  return true;
}

// Returns the thread that the path's thread had its work from, or waited for, in this piece.
Walk::HandOver Walk::handed_over(const WalkPath& path, const Piece& piece, Cause cause) const {
  const Threads& threads = index_.threads;
  const bool between = piece.innermost == kNone;
  const HandOver to_loop{threads.loop(), path.time};
  if (threads.is_worker(path.thread)) {
    const bool begins = between && begins_burst(index_.trace, threads, path.thread, piece);
    return begins ? to_loop : HandOver{};
  }
  if (path.thread == threads.loop()) return handed_over_by_loop(path.time, piece);
  return between || cause == Cause::host_wait_thread ? to_loop : HandOver{};
}

// Returns a hand-over to the autograd thread whose node ended last before `time`, inside `piece`,
// while the loop's thread made no call since that node began.
Walk::HandOver Walk::handed_over_by_loop(std::int64_t time, const Piece& piece) const {
  const Threads& threads = index_.threads;
  HandOver best{kNone, std::max(piece.time.begin, std::int64_t{0})};
  const Piece last_call = threads.calls(threads.loop()).previous_range(time);
  for (ThreadId worker : threads.workers()) {
    const Piece node = threads.calls(worker).previous_range(time);
    if (node.innermost == kNone) continue;
    const std::int64_t node_end = std::min(node.time.end, time);
    const bool quiet = last_call.innermost == kNone || last_call.time.end <= node.time.begin;
    if (quiet && node_end > best.at) best = {worker, node_end};
  }
  return best;
}

// Splits a silence into sleep and work. How long the thread slept is known to the nanosecond, but
// not when: the end of the silence counts as sleep. Samples, where there are any, place it better.
void Walk::own_silence(WalkPath& path, ThreadId thread, const Piece& piece) const {
  const std::optional<ThreadCpu::Use> use = index_.causes.use_in(thread, piece);
  if (use) {
    owners_.host(path, piece.time.end - use->slept, Cause::host_off_cpu, thread, piece.innermost);
    owners_.host(path, piece.time.begin, Cause::host_between_calls, thread, piece.innermost);
  } else {
    owners_.host(path, piece.time.begin, Cause::host_other, thread, piece.innermost);
  }
}

}  // namespace stepscope
