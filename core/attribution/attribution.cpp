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
#include "core/attribution/process_index.hpp"
#include "core/attribution/walk/walk.hpp"

namespace stepscope {
namespace {

Segment device_segment(const ProcessIndex& index, Interval time, DeviceOpId op) {
  const Place place = index.places.of(op);
  return {.time = time,
          .cause = index.cause_of_op[op],
          .phase = place.phase,
          .site = place.line.site,
          .device_evidence = op,
          .direction = place.line.direction};
}

std::vector<OpOwner> owners_of_ops(const ProcessIndex& index) {
  std::vector<OpOwner> owners(index.trace.device_ops().size());
  for (DeviceOpId op : index.dependencies.ops()) {
    const Segment owner = device_segment(index, {}, op);
    owners[op] = {owner.cause, owner.phase};
  }
  return owners;
}

// A call's kernels are one transfer; a replayed graph sends anew each time.
void tie_transfers(const ProcessIndex& index, Attribution& out) {
  Messages messages(index.trace);
  std::map<std::pair<CallId, std::uint32_t>, std::uint32_t> known;
  for (DeviceOpId op : index.dependencies.ops()) {
    if (out.ops[op].cause != Cause::comm_transfer) continue;
    const Messages::Calls& calls = messages.launched_in(index.places.range_of(op));
    if (calls.empty()) continue;
    const CallId launch = index.trace.launch_of(op);
    const bool replayed =
        launch != kNone && index.trace.calls().api[launch] == ApiKind::launch_graph;
    const auto next = static_cast<std::uint32_t>(out.transfers.size());
    const auto [at, is_new] = known.try_emplace({replayed ? launch : kNone, calls.front()}, next);
    if (is_new) out.transfers.push_back({calls});
    out.ops[op].transfer = at->second;
  }
}

using NsByWorkers = std::map<std::uint32_t, std::int64_t>;

std::uint32_t usual_workers(const NsByWorkers& ns_by_workers, std::int64_t all_ns) {
  std::int64_t sum = 0;
  for (const auto& [workers, ns] : ns_by_workers) {
    sum += ns;
    if (2 * sum >= all_ns) return workers;
  }
  return 0;
}

LoaderWait loader_wait(const ProcessIndex& index, const Partition& partition) {
  LoaderWait out;
  NsByWorkers ns_by_workers;
  for (const Segment& segment : partition.segments) {
    if (segment.cause != Cause::host_data_wait) continue;
    const Interval silence =
        index.threads.work(index.threads.loop()).piece_before(segment.time.end).time;
    const HostSamples::Workers workers =
        index.samples.workers_before(index.process, silence, segment.time.end);
    if (workers.known == 0) continue;
    out.seen_ns += segment.time.length();
    out.busy_ns += workers.busy * segment.time.length();
    ns_by_workers[workers.known] += segment.time.length();
  }
  out.workers = usual_workers(ns_by_workers, out.seen_ns);
  return out;
}

// The next op of the same stream had been issued when this one ended.
bool successor_was_queued(const ProcessIndex& index, DeviceOpId op) {
  const auto stream = index.trace.ops_of(index.trace.device_ops().stream[op]);
  const auto after = std::upper_bound(stream.begin(), stream.end(), op);
  return after != stream.end() &&
         index.dependencies.queued_behind(*after, index.trace.device_ops().end[op]);
}

struct Owner {
  Cause cause;
  PhaseId phase;
  SiteId site;
  Direction direction;
  friend auto operator<=>(const Owner&, const Owner&) = default;  // NOLINT(modernize-use-nullptr)
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
std::size_t likely_segments(const ProcessIndex& index) {
  std::size_t pieces = index.threads.work(index.threads.loop()).size();
  for (const ThreadId worker : index.threads.workers()) pieces += index.threads.work(worker).size();
  return pieces + pieces / 8 + index.trace.data().samples.size();
}

// Divides the run's time among its owners.
class Divider {
 public:
  Divider(const ProcessIndex& index, const Steps& steps, const LastEntries& last_entries)
      : index_(index), steps_(steps), last_entries_(last_entries), walk_(index) {}

  Partition divide(std::uint32_t device, const std::vector<DeviceOpId>& ops) const {
    Partition out;
    out.device = device;
    const DeviceOps& d = index_.trace.device_ops();
    std::int64_t at = index_.run.begin;
    if (ops.empty()) out.segments.reserve(likely_segments(index_));
    const auto own_idle = [&](std::int64_t end, DeviceOpId next) {
      if (at >= end) return;
      walk_.explain({at, end}, next, out.segments);
      if (next != kNone && index_.dependencies.queued_behind(next, at))
        out.queued_idle_ns += end - at;
    };
    for (const BusySegment& busy : busy_segments(d, ops, index_.cause_of_op)) {
      const Interval time = intersect(busy.time, index_.run);
      if (busy.time.begin >= index_.run.end) {
        own_idle(index_.run.end, busy.op);
        at = index_.run.end;
        break;
      }
      if (time.empty()) continue;
      own_idle(time.begin, busy.op);
      append_device(time, busy.op, out.segments);
      if (successor_was_queued(index_, busy.op)) out.queued_busy_ns += time.length();
      at = time.end;
    }
    own_idle(index_.run.end, kNone);
    std::vector<Interval> all;
    for (DeviceOpId op : ops) all.push_back({d.begin[op], d.end[op]});
    out.busy = clip(unite(std::move(all)), index_.run);
    out.cells = cells_of(out.segments, steps_);
    return out;
  }

  std::vector<Partition> by_device() const {
    std::map<std::uint32_t, std::vector<DeviceOpId>> by_device;
    const TraceData& data = index_.trace.data();
    for (DeviceOpId op : index_.dependencies.ops())
      by_device[data.streams[data.device_ops.stream[op]].device].push_back(op);
    std::vector<Partition> partitions;
    if (by_device.size() < 2) return partitions;
    for (const auto& [device, ops] : by_device) partitions.push_back(divide(device, ops));
    return partitions;
  }

 private:
  // A collective's time is split where its last rank entered.
  void append_device(Interval time, DeviceOpId op, std::vector<Segment>& out) const {
    Segment segment = device_segment(index_, time, op);
    const auto entered = last_entries_.find(op);
    if (entered != last_entries_.end() && entered->second.time > time.begin) {
      segment.cause = Cause::comm_late_rank;
      segment.time.end = std::min(time.end, entered->second.time);
      out.push_back(segment);
      segment.cause = index_.cause_of_op[op];
      segment.time = {segment.time.end, time.end};
    }
    if (!segment.time.empty()) out.push_back(segment);
  }

  const ProcessIndex& index_;
  const Steps& steps_;
  const LastEntries& last_entries_;
  Walk walk_;
};

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
  const auto index = std::make_shared<ProcessIndex>(trace, steps, *pattern);
  Attribution out;
  out.last_entries = last_entries(trace);
  const Divider divider(*index, steps, out.last_entries);
  out.process = divider.divide(Partition::kWholeProcess, index->dependencies.ops());
  out.devices = divider.by_device();
  out.edges = index->dependencies.edges();
  out.graphs = index->places.graphs();
  out.loader = loader_wait(*index, out.process);
  out.inflated = is_inflated(trace);
  check(steps, out.process, out);
  for (const Partition& device : out.devices) check(steps, device, out);
  out.ops = owners_of_ops(*index);
  tie_transfers(*index, out);
  out.visits = index->phases.take_visits();
  out.phases = index->phases.take_phases();
  out.index = index;
  return out;
}

}  // namespace stepscope
