// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/walk/dispatch_gap.hpp"

#include <algorithm>

#include "core/attribution/process_index.hpp"

namespace stepscope {
namespace {

// Returns the profiler's ranges that load modules, or those that are its own work.
IntervalSet overhead_intervals(const Trace& trace, bool loading) {
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

DispatchGap::DispatchGap(const ProcessIndex& index, const Owners& owners)
    : index_(index),
      owners_(owners),
      overhead_(overhead_intervals(index.trace, false)),
      loading_(overhead_intervals(index.trace, true)) {}

// Returns the overhead and the module loads within `time`, the latest end first.
std::vector<DispatchGap::Overhead> DispatchGap::overheads_in(Interval time) const {
  std::vector<Overhead> all;
  for (const Interval& part : clip(overhead_, time)) all.push_back({part, Cause::profiler});
  for (const Interval& part : clip(loading_, time)) all.push_back({part, Cause::host_module_load});
  std::sort(all.begin(), all.end(),
            [](const Overhead& a, const Overhead& b) { return a.time.end > b.time.end; });
  return all;
}

// Returns the owner of time in which a ready op waited and the device ran nothing of this process.
Cause DispatchGap::unseen_by(DeviceOpId op, std::int64_t time) const {
  const Stream& stream = index_.trace.data().streams[index_.trace.device_ops().stream[op]];
  return index_.shared_devices.is_shared(stream.device, time) ? Cause::gpu_shared : Cause::unknown;
}

void DispatchGap::own(WalkPath& path, DeviceOpId op, const Readiness& ready) const {
  const std::int64_t latency = index_.dependencies.edges().launch_latency_ns;
  Cause cause = Cause::gpu_dispatch_gap;
  std::int64_t limit = kLimitNs;
  if (ready.binding == Binding::graph) cause = Cause::graph_gap;
  const bool queued = ready.time + latency <= path.begin;
  if (ready.binding == Binding::launch && !queued) {
    cause = Cause::launch_latency;
    limit += latency;
  }
  const std::int64_t since = std::max(ready.time, path.begin);
  owners_.device(path, std::max(since, path.time - limit), cause, op);
  const Cause unseen = unseen_by(op, path.time);
  for (const Overhead& overhead : overheads_in({since, path.time})) {
    owners_.device(path, overhead.time.end, unseen, op);
    owners_.device(path, overhead.time.begin, overhead.cause, op);
  }
  owners_.device(path, since, unseen, op);
}

}  // namespace stepscope
