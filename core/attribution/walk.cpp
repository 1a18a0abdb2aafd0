// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/walk.hpp"

#include <algorithm>

#include "core/attribution/host/hand_off.hpp"

namespace stepscope {
namespace {

// The device takes 1-2 us from one queued op to the next; beyond this nobody knows what it did.
constexpr std::int64_t kDispatchLimitNs = 10'000;
// A synchronisation that had nothing to wait for costs about this at most, and so does the return
// of one behind what it waited for. A longer one waited for something that was not recorded.
constexpr std::int64_t kSyncReturnLimitNs = 10'000;
// Behind a copy from or to pageable memory the host may still copy its bytes, at this rate at
// least.
constexpr std::int64_t kSlowestHostCopyBytesPerNs = 2;
// A launch call of this many times the typical length, and at least kLongLaunchNs, with room in the
// queue: nobody knows what it did (a lock, the scheduler), but where it loads its kernel.
constexpr std::int64_t kLongLaunchFactor = 20;
constexpr std::int64_t kLongLaunchNs = 100'000;
// A silence of which the clocks tell enough to give it a cause, though no look fell into it; and
// one so short that the thread is at the line of the next call as a rule.
constexpr std::int64_t kLongSilenceNs = 2'000'000;
constexpr std::int64_t kBurstNs = 100'000;

// Ranges of the profiler's kind with that cause; the others of them are the profiler's own work.
IntervalSet told_of(const Trace& trace, bool loading) {
  const HostRanges& h = trace.host_ranges();
  std::vector<Interval> all;
  for (RangeId r = 0; r < h.size(); ++r) {
    if (h.kind[r] != HostKind::overhead) continue;
    const Cause cause = cause_of_overhead(trace.text(h.name[r]));
    if ((cause == Cause::host_module_load) == loading) all.push_back({h.begin[r], h.end[r]});
  }
  return unite(std::move(all));
}

}  // namespace

// Everything in [time, end of idle) has an owner; segments are appended latest first.
struct Walk::Path {
  std::int64_t begin;
  std::int64_t time;
  std::vector<Segment>& backwards;
  // Where it goes on: with what held back this op; kNone: on this thread.
  DeviceOpId op;
  ThreadId thread;
  int jumps_without_progress = 0;

  bool done() const { return time <= begin; }
  void go_on(ThreadId on) {
    op = kNone;
    thread = on;
  }
};

Walk::Walk(const Trace& trace, const Threads& threads, const ThreadCpu& cpu,
           const PhaseTable& phases, const CallSites& sites, const Dependencies& dependencies,
           const OpPlaces& places, const HostSamples& samples, const OptimizerWork& optimizer,
           const SharedDevices& shared)
    : trace_(trace),
      threads_(threads),
      phases_(phases),
      sites_(sites),
      dependencies_(dependencies),
      places_(places),
      causes_(trace, threads, cpu, optimizer),
      samples_(samples),
      silences_(trace, threads, cpu),
      shared_(shared),
      overhead_(told_of(trace, false)),
      loading_(told_of(trace, true)) {}

void Walk::explain(Interval idle, DeviceOpId next, std::vector<Segment>& out) const {
  if (idle.empty()) return;
  const auto before = static_cast<std::ptrdiff_t>(out.size());
  Path path{idle.begin, idle.end, out, next, threads_.loop()};
  if (next == kNone && threads_.work(threads_.loop()).before(idle.end).innermost == kNone) {
    // The loop's thread has nothing to say: the run may still wait for another device.
    path.op = dependencies_.running_at(idle.end - 1);
    if (path.op != kNone)
      own_device(path, trace_.device_ops().begin[path.op], Cause::gpu_wait_peer, path.op);
  }
  while (!path.done()) {
    if (path.op != kNone) {
      at_op(path);
    } else if (!through_piece(path)) {
      own_host(path, path.begin, Cause::unknown, path.thread,
               kNone);  // hand-offs in a circle: no evidence
    }
  }
  std::reverse(out.begin() + before, out.end());
}

RangeId Walk::on_its_way(ThreadId thread, std::int64_t time) const {
  return stepscope::on_its_way(threads_, thread, time);
}

void Walk::own_host(Path& path, std::int64_t since, Cause cause, ThreadId thread,
                    RangeId evidence) const {
  since = std::max(since, path.begin);
  if (since >= path.time) return;
  const RangeId innermost = evidence;
  if (cause == Cause::host_between_calls) evidence = on_its_way(thread, path.time);
  const Interval silence = threads_.work(thread).before(path.time).time;
  while (path.time > since) {
    const PhaseTable::Stay stay = phases_.at(thread, path.time - 1);
    Segment segment{.time = {std::max(since, stay.since), path.time},
                    .cause = cause,
                    .phase = stay.phase,
                    .host_evidence = evidence};
    charge_sampled(segment, thread, {silence, innermost});
    if (segment.site == kNone) {
      // A sleep that nobody saw is charged like the way to the next call.
      const bool slept = segment.cause == Cause::host_off_cpu;
      const bool unseen =
          (slept || segment.cause == Cause::host_core_wait) && segment.host_evidence == kNone;
      const CodeLine line =
          sites_.at(thread, segment.time.begin,
                    unseen ? on_its_way(thread, path.time) : segment.host_evidence);
      segment.site = line.site;
      segment.direction = line.direction;
      segment.is_sampled = false;
    }
    path.backwards.push_back(segment);
    path.time = segment.time.begin;
    path.jumps_without_progress = 0;
  }
}

// In a CUDA call the records say all, and an op keeps its line. A short silence that no look fell
// into keeps its cause, and one in a burst of calls the line of the next.
Walk::Sampled Walk::sampled(ThreadId thread, const Piece& piece, std::int64_t end,
                            Cause by_records) const {
  Sampled out{piece.time.begin, by_records};
  const std::vector<SiteId>& sites = trace_.data().samples.site;
  const HostFamily inside = piece.innermost == kNone
                                ? HostFamily::other
                                : family_of(trace_.host_ranges().kind[piece.innermost]);
  if (inside == HostFamily::api) return out;
  if (inside == HostFamily::op) {
    const HostSamples::Seen seen = samples_.before(thread, piece.time, end);
    if (seen.row == kNone) return out;
    out.since = seen.time.begin;
    out.cause = causes_.sampled(by_records, seen.row, Doing::not_told);
    if (out.cause == Cause::host_gc) out.site = sites[seen.row];
    return out;
  }
  const Silences::Stretch stretch = silences_.before(thread, piece.time, end);
  if (stretch.row == kNone) return out;
  out.since = stretch.time.begin;
  const bool is_long = stretch.doing != Doing::not_told && piece.time.length() >= kLongSilenceNs;
  if (stretch.is_seen || is_long)
    out.cause = causes_.sampled(by_records, stretch.row, stretch.doing);
  const bool is_burst =
      !stretch.is_seen && piece.time.length() < kBurstNs &&
      (by_records == Cause::host_between_calls || by_records == Cause::host_framework);
  if (!is_burst) out.site = sites[stretch.row];
  return out;
}

// Cuts the segment to the part before its end for which one sample stands, and gives it that
// sample's cause and line. While the loop waits for data its workers' line counts.
void Walk::charge_sampled(Segment& segment, ThreadId thread, const Piece& piece) const {
  const Sampled seen = sampled(thread, piece, segment.time.end, segment.cause);
  segment.time.begin = std::max(segment.time.begin, seen.since);
  if (segment.cause != seen.cause) segment.host_evidence = piece.innermost;
  segment.cause = seen.cause;
  segment.site = seen.site;
  segment.is_sampled = seen.site != kNone;
  if (segment.cause == Cause::host_data_wait) charge_workers(segment, thread, piece.time);
}

void Walk::charge_workers(Segment& segment, ThreadId thread, Interval silence) const {
  const HostSamples::Workers workers =
      samples_.workers_before(trace_.data().threads[thread].process, silence, segment.time.end);
  segment.time.begin = std::max(segment.time.begin, workers.time.begin);
  if (workers.site == kNone) return;
  segment.site = workers.site;
  segment.is_sampled = true;
}

void Walk::own_device(Path& path, std::int64_t since, Cause cause, DeviceOpId op) const {
  since = std::max(since, path.begin);
  if (since >= path.time) return;
  // What lies before a graph's first op waits for the launch, not for the op.
  const bool launching = cause == Cause::launch_latency || cause == Cause::gpu_dispatch_gap;
  const Place place = launching ? places_.of_launch(op) : places_.of(op);
  path.backwards.push_back({.time = {since, path.time},
                            .cause = cause,
                            .phase = place.phase,
                            .site = place.line.site,
                            .device_evidence = op,
                            .direction = place.line.direction});
  path.time = since;
}

// Of other tools' traces: the op's launch is not there (cut records, or ids that do not meet), so
// what it waited for is not known. The device was idle meanwhile, and the loop's thread shows why.
bool Walk::is_launched_unseen(DeviceOpId op, const Readiness& ready) const {
  const bool nothing_else = ready.binding == Binding::none || ready.binding == Binding::stream;
  if (!nothing_else || trace_.launch_of(op) != kNone ||
      trace_.data().source == SourceKind::stepscope)
    return false;
  const ThreadId loop = threads_.loop();
  const Piece now = threads_.work(loop).before(trace_.device_ops().begin[op]);
  return !is_unexplained(causes_.of(loop, now));
}

// What held path.op back until path.time, which is at most its begin. A predecessor began no later
// than the op does, so a chain of them ends.
void Walk::at_op(Path& path) const {
  const DeviceOpId op = path.op;
  const Readiness ready = dependencies_.readiness(op);
  if (is_launched_unseen(op, ready)) {
    if (ready.binding == Binding::stream)
      own_device(path, std::max(ready.time, path.time - kDispatchLimitNs), Cause::gpu_dispatch_gap,
                 op);
    path.go_on(threads_.loop());
    return;
  }
  if (ready.binding == Binding::none) {
    own_device(path, path.begin, Cause::unknown, op);
    return;
  }
  if (ready.binding == Binding::launch) {
    const RangeId call = trace_.calls().range[ready.launch];
    const std::int64_t issued = ready.time - dependencies_.edges().launch_latency_ns;
    own_gap_after(path, op, {Binding::launch, issued, ready.launch, kNone});
    path.go_on(trace_.host_ranges().thread[call]);
    return;
  }
  own_gap_after(path, op, ready);
  own_device(path, trace_.device_ops().begin[ready.predecessor], Cause::gpu_wait_peer,
             ready.predecessor);
  path.op = ready.predecessor;
}

// What the tracer and the loading of modules did meanwhile, the latest end first.
std::vector<Walk::Told> Walk::told_in(Interval time) const {
  std::vector<Told> all;
  for (const Interval& part : clip(overhead_, time)) all.push_back({part, Cause::profiler});
  for (const Interval& part : clip(loading_, time)) all.push_back({part, Cause::host_module_load});
  std::sort(all.begin(), all.end(),
            [](const Told& a, const Told& b) { return a.time.end > b.time.end; });
  return all;
}

// Who kept a ready op from a device that ran nothing of this process.
Cause Walk::unseen_by(DeviceOpId op, std::int64_t time) const {
  const Stream& stream = trace_.data().streams[trace_.device_ops().stream[op]];
  return shared_.is_shared(stream.device, time) ? Cause::gpu_shared : Cause::unknown;
}

// Ready since ready.time, and yet not running until path.time.
void Walk::own_gap_after(Path& path, DeviceOpId op, const Readiness& ready) const {
  Cause cause = Cause::gpu_dispatch_gap;
  std::int64_t limit = kDispatchLimitNs;
  if (ready.binding == Binding::graph) cause = Cause::graph_gap;
  const bool queued = ready.time + dependencies_.edges().launch_latency_ns <= path.begin;
  if (ready.binding == Binding::launch && !queued) {
    cause = Cause::launch_latency;
    limit += dependencies_.edges().launch_latency_ns;
  }
  const std::int64_t since = std::max(ready.time, path.begin);
  own_device(path, std::max(since, path.time - limit), cause, op);
  const Cause unseen = unseen_by(op, path.time);
  for (const Told& told : told_in({since, path.time})) {
    own_device(path, told.time.end, unseen, op);
    own_device(path, told.time.begin, told.cause, op);
  }
  own_device(path, since, unseen, op);
}

// One piece, or one jump to another thread, back. False: jumping no longer makes progress.
bool Walk::through_piece(Path& path) const {
  const ThreadId thread = path.thread;
  const Piece piece = threads_.work(thread).before(path.time);
  const bool in_call = piece.innermost != kNone &&
                       family_of(trace_.host_ranges().kind[piece.innermost]) == HostFamily::api;
  if (in_call) {
    own_call(path, thread, piece);
    return true;
  }
  ThreadId jump = kNone;
  std::int64_t handed_over = path.time;
  const Cause cause = causes_.of(thread, piece);
  if (threads_.is_worker(thread)) {
    if (piece.innermost == kNone && begins_burst(trace_, threads_, thread, piece))
      jump = threads_.loop();
  } else if (thread != threads_.loop()) {
    if (piece.innermost == kNone || cause == Cause::host_wait_thread) jump = threads_.loop();
  } else {
    jump = handed_over_by(thread, path.time, piece, handed_over);
  }
  const bool worker_gap = threads_.is_worker(thread) && piece.innermost == kNone;
  if (jump == kNone && cause == Cause::host_other && !worker_gap) {
    own_silence(path, thread, piece);
    return true;
  }
  if (jump == kNone) {
    own_host(path, piece.time.begin, worker_gap ? Cause::host_framework : cause, thread,
             piece.innermost);
    return true;
  }
  own_host(path, handed_over, cause, thread, piece.innermost);
  path.go_on(jump);
  return ++path.jumps_without_progress < 3;
}

// All parts are known to the nanosecond, but not when in the silence the thread slept and waited:
// the end is taken, and samples tell better where there are any.
void Walk::own_silence(Path& path, ThreadId thread, const Piece& piece) const {
  const std::optional<ThreadCpu::Use> use = causes_.use_in(thread, piece);
  if (use) {
    const std::int64_t slept_from = piece.time.end - use->slept;
    own_host(path, slept_from, Cause::host_off_cpu, thread, piece.innermost);
    own_host(path, slept_from - use->waited, Cause::host_core_wait, thread, piece.innermost);
    own_host(path, piece.time.begin, Cause::host_between_calls, thread, piece.innermost);
  } else {
    own_host(path, piece.time.begin, Cause::host_other, thread, piece.innermost);
  }
}

// The autograd thread whose node ended last before `time`, inside `piece`, while `thread` itself
// made no call since that node began: the caller had handed over to it.
ThreadId Walk::handed_over_by(ThreadId thread, std::int64_t time, const Piece& piece,
                              std::int64_t& end) const {
  ThreadId best = kNone;
  std::int64_t best_end = std::max(piece.time.begin, std::int64_t{0});
  const Piece last_call = threads_.calls(thread).previous_range(time);
  for (ThreadId worker : threads_.workers()) {
    const Piece node = threads_.calls(worker).previous_range(time);
    if (node.innermost == kNone) continue;
    const std::int64_t node_end = std::min(node.time.end, time);
    const bool quiet = last_call.innermost == kNone || last_call.time.end <= node.time.begin;
    if (quiet && node_end > best_end) {
      best = worker;
      best_end = node_end;
    }
  }
  if (best != kNone) end = best_end;
  return best;
}

// From the end of what a call waited for to its return, at most; of a copy of unknown size no
// limit.
std::int64_t Walk::return_limit(ApiKind api, DeviceOpId awaited) const {
  if (is_sync(api)) return kSyncReturnLimitNs;
  constexpr std::uint64_t kLargest = std::uint64_t{1} << 50U;
  const std::uint64_t bytes = std::min(trace_.device_ops().bytes[awaited], kLargest);
  return kSyncReturnLimitNs + static_cast<std::int64_t>(bytes) / kSlowestHostCopyBytesPerNs;
}

void Walk::own_call(Path& path, ThreadId thread, const Piece& piece) const {
  const CallId call = trace_.call_of(piece.innermost);
  const ApiKind api = trace_.calls().api[call];
  const DeviceOpId awaited = dependencies_.awaited_by(call);
  const std::int64_t piece_begin = std::max(piece.time.begin, path.begin);
  if (awaited != kNone) {
    const std::int64_t returned_from = trace_.device_ops().end[awaited];
    own_host(path, std::max(returned_from + return_limit(api, awaited), piece_begin),
             Cause::unknown, thread, piece.innermost);
    own_host(path, std::max(returned_from, piece_begin), Cause::host_sync_return, thread,
             piece.innermost);
    if (path.done() || path.time == piece_begin) return;
    if (trace_.device_ops().begin[awaited] < path.time && is_sync(api)) {
      own_device(path, trace_.device_ops().begin[awaited], Cause::gpu_wait_peer, awaited);
      path.op = awaited;
      return;
    }
  } else if (is_sync(api)) {
    own_host(path, std::max(piece_begin, path.time - kSyncReturnLimitNs), Cause::host_sync_return,
             thread, piece.innermost);
    own_host(path, piece_begin, Cause::unknown, thread, piece.innermost);
    return;
  }
  own_launch_call(path, thread, piece, call);
}

void Walk::own_launch_call(Path& path, ThreadId thread, const Piece& piece, CallId call) const {
  const ApiKind api = trace_.calls().api[call];
  const RangeId range = piece.innermost;
  if (api != ApiKind::launch_kernel) {
    own_host(path, piece.time.begin, cause_of_api(api), thread, range);
    return;
  }
  if (dependencies_.blocked_on_full_queue(call)) {
    own_host(path, piece.time.begin, Cause::host_queue_full, thread, range);
    return;
  }
  const std::int64_t took = trace_.host_ranges().end[range] - trace_.host_ranges().begin[range];
  const std::int64_t typical = dependencies_.typical_launch_call_ns();
  if (took >= kLongLaunchNs && took >= kLongLaunchFactor * typical) {
    own_host(path, piece.time.begin,
             dependencies_.loads_its_kernel(call) ? Cause::host_module_load : Cause::unknown,
             thread, range);
  } else {
    own_host(path, piece.time.begin, Cause::host_launch_api, thread, range);
  }
}

}  // namespace stepscope
