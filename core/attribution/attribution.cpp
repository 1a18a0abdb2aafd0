// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/attribution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "core/attribution/device/device_state.hpp"
#include "core/attribution/device/messages.hpp"
#include "core/attribution/host/host_samples.hpp"
#include "core/attribution/walked_process.hpp"

namespace stepscope {
namespace {

Segment device_segment(const WalkedProcess& walked, Interval time, DeviceOpId op) {
  const Place place = walked.places.of(op);
  return {.time = time,
          .cause = walked.cause_of_op[op],
          .phase = place.phase,
          .site = place.line.site,
          .device_evidence = op,
          .direction = place.line.direction};
}

// A collective's time is split where its last rank entered.
void append_device(const WalkedProcess& walked, Interval time, DeviceOpId op,
                   std::vector<Segment>& out) {
  Segment segment = device_segment(walked, time, op);
  const auto entered = walked.last_entries.find(op);
  if (entered != walked.last_entries.end() && entered->second.time > time.begin) {
    segment.cause = Cause::comm_late_rank;
    segment.time.end = std::min(time.end, entered->second.time);
    out.push_back(segment);
    segment.cause = walked.cause_of_op[op];
    segment.time = {segment.time.end, time.end};
  }
  if (!segment.time.empty()) out.push_back(segment);
}

std::vector<OpOwner> owners_of_ops(const WalkedProcess& walked) {
  std::vector<OpOwner> owners(walked.trace.device_ops().size());
  for (DeviceOpId op : walked.dependencies.ops()) {
    const Segment owner = device_segment(walked, {}, op);
    owners[op] = {owner.cause, owner.phase};
  }
  return owners;
}

// A call's kernels are one transfer; a replayed graph sends anew each time.
void tie_transfers(const WalkedProcess& walked, Attribution& out) {
  Messages messages(walked.trace);
  std::map<std::pair<CallId, std::uint32_t>, std::uint32_t> known;
  for (DeviceOpId op : walked.dependencies.ops()) {
    if (out.ops[op].cause != Cause::comm_transfer) continue;
    const Messages::Calls& calls = messages.launched_in(walked.places.range_of(op));
    if (calls.empty()) continue;
    const CallId launch = walked.trace.launch_of(op);
    const bool replayed =
        launch != kNone && walked.trace.calls().api[launch] == ApiKind::launch_graph;
    const auto next = static_cast<std::uint32_t>(out.transfers.size());
    const auto [at, is_new] = known.try_emplace({replayed ? launch : kNone, calls.front()}, next);
    if (is_new) out.transfers.push_back({calls});
    out.ops[op].transfer = at->second;
  }
}

LoaderWait loader_wait(const WalkedProcess& walked, const Partition& partition) {
  LoaderWait out;
  for (const Segment& segment : partition.segments) {
    if (segment.cause != Cause::host_data_wait) continue;
    const Interval silence =
        walked.threads.work(walked.threads.loop()).piece_before(segment.time.end).time;
    const HostSamples::Workers workers =
        walked.samples.workers_before(walked.process, silence, segment.time.end);
    if (workers.known == 0) continue;
    out.seen_ns += segment.time.length();
    out.busy_ns += workers.busy * segment.time.length();
    out.workers = std::max(out.workers, workers.known);
  }
  return out;
}

// The next op of the same stream had been issued when this one ended.
bool successor_was_queued(const WalkedProcess& walked, DeviceOpId op) {
  const auto stream = walked.trace.ops_of(walked.trace.device_ops().stream[op]);
  const auto after = std::upper_bound(stream.begin(), stream.end(), op);
  return after != stream.end() &&
         walked.dependencies.queued_behind(*after, walked.trace.device_ops().end[op]);
}

struct Owner {
  Cause cause;
  PhaseId phase;
  SiteId site;
  Direction direction;
  friend auto operator<=>(const Owner&, const Owner&) = default;
};

struct OwnerHash {
  std::size_t operator()(const Owner& owner) const {
    const std::uint64_t place = (std::uint64_t{owner.phase} << 32U) | owner.site;
    const std::uint64_t kind =
        index_of(owner.cause) * 4 + static_cast<std::uint64_t>(owner.direction);
    return static_cast<std::size_t>((place * 0x9e3779b97f4a7c15ULL) ^
                                    (kind * 0xc2b2ae3d27d4eb4fULL));
  }
};

using OwnerSums = std::unordered_map<Owner, std::int64_t, OwnerHash>;

void append_cells(std::uint32_t step, const OwnerSums& sums, std::vector<Cell>& cells) {
  std::vector<std::pair<Owner, std::int64_t>> sorted(sums.begin(), sums.end());
  std::sort(sorted.begin(), sorted.end());
  for (const auto& [owner, ns] : sorted)
    cells.push_back({step, owner.cause, owner.phase, owner.site, ns, owner.direction});
}

// Segments and windows are both in order of time.
std::vector<Cell> cells_of(const std::vector<Segment>& segments, const Steps& steps) {
  std::vector<Cell> cells;
  auto first = segments.begin();
  OwnerSums sums;
  for (std::uint32_t k = 0; k < steps.list.size(); ++k) {
    const Interval window = steps.list[k].window;
    while (first != segments.end() && first->time.end <= window.begin) ++first;
    sums.clear();
    for (auto s = first; s != segments.end() && s->time.begin < window.end; ++s) {
      const std::int64_t ns = intersect(s->time, window).length();
      if (ns > 0) sums[{s->cause, s->phase, s->site, s->direction}] += ns;
    }
    append_cells(k, sums, cells);
  }
  return cells;
}

// Estimates the number of segments: in a run without a device each piece of the threads' time
// becomes one, or nearly so.
std::size_t likely_segments(const WalkedProcess& walked) {
  std::size_t pieces = walked.threads.work(walked.threads.loop()).size();
  for (const ThreadId worker : walked.threads.workers())
    pieces += walked.threads.work(worker).size();
  return pieces + pieces / 8 + walked.trace.data().samples.size();
}

Partition partition_of(const WalkedProcess& walked, const Steps& steps, std::uint32_t device,
                       const std::vector<DeviceOpId>& ops) {
  Partition out;
  out.device = device;
  const DeviceOps& d = walked.trace.device_ops();
  std::int64_t at = walked.run.begin;
  if (ops.empty()) out.segments.reserve(likely_segments(walked));
  const auto own_idle = [&](std::int64_t end, DeviceOpId next) {
    if (at >= end) return;
    walked.walk.explain({at, end}, next, out.segments);
    if (next != kNone && walked.dependencies.queued_behind(next, at))
      out.queued_idle_ns += end - at;
  };
  for (const BusySegment& busy : busy_segments(d, ops, walked.cause_of_op)) {
    const Interval time = intersect(busy.time, walked.run);
    if (busy.time.begin >= walked.run.end) {
      own_idle(walked.run.end, busy.op);
      at = walked.run.end;
      break;
    }
    if (time.empty()) continue;
    own_idle(time.begin, busy.op);
    append_device(walked, time, busy.op, out.segments);
    if (successor_was_queued(walked, busy.op)) out.queued_busy_ns += time.length();
    at = time.end;
  }
  own_idle(walked.run.end, kNone);
  std::vector<Interval> all;
  for (DeviceOpId op : ops) all.push_back({d.begin[op], d.end[op]});
  out.busy = clip(unite(std::move(all)), walked.run);
  out.cells = cells_of(out.segments, steps);
  return out;
}

std::vector<Partition> partitions_by_device(const WalkedProcess& walked, const Steps& steps) {
  std::map<std::uint32_t, std::vector<DeviceOpId>> by_device;
  for (DeviceOpId op : walked.dependencies.ops()) {
    by_device[walked.trace.data().streams[walked.trace.device_ops().stream[op]].device].push_back(
        op);
  }
  std::vector<Partition> partitions;
  if (by_device.size() < 2) return partitions;
  for (const auto& [device, ops] : by_device)
    partitions.push_back(partition_of(walked, steps, device, ops));
  return partitions;
}

Result<std::optional<NamePattern>> phases_of_user(const AttributionOptions& options) {
  if (options.phase_regex.empty()) return std::optional<NamePattern>{};
  auto pattern = NamePattern::compile("--phase", options.phase_regex);
  if (!pattern) return pattern.error();
  return std::optional<NamePattern>(std::move(*pattern));
}

// A Kineto trace with op or Python records, or an nsys one with PyTorch's ops as NVTX ranges: its
// host times were stretched by the recording itself.
bool is_inflated(const Trace& trace) {
  const SourceKind source = trace.data().source;
  return (source == SourceKind::kineto || source == SourceKind::nsys) &&
         (trace.collected().framework_ops || trace.collected().python_functions);
}

void check(const Steps& steps, const Partition& partition, Attribution& out) {
  std::ranges::move(check_invariants(steps, partition), std::back_inserter(out.broken_invariants));
  std::ranges::move(check_unknown_budget(steps, partition), std::back_inserter(out.over_budget));
}

}  // namespace

Result<Attribution> attribute(const Trace& trace, const Steps& steps,
                              const AttributionOptions& options) {
  if (steps.list.empty()) return bad_input("the trace holds no step and no window to attribute");
  const auto pattern = phases_of_user(options);
  if (!pattern) return pattern.error();
  const auto kept = std::make_shared<WalkedProcess>(trace, steps, *pattern);
  WalkedProcess& walked = *kept;
  Attribution out;
  out.process = partition_of(walked, steps, Partition::kWholeProcess, walked.dependencies.ops());
  out.devices = partitions_by_device(walked, steps);
  out.edges = walked.dependencies.edges();
  out.graphs = walked.places.graphs();
  out.loader = loader_wait(walked, out.process);
  out.inflated = is_inflated(trace);
  check(steps, out.process, out);
  for (const Partition& device : out.devices) check(steps, device, out);
  out.ops = owners_of_ops(walked);
  tie_transfers(walked, out);
  out.last_entries = walked.last_entries;
  out.visits = walked.phases.take_visits();
  out.phases = walked.phases.take_phases();
  out.walked = kept;
  return out;
}

}  // namespace stepscope
