// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/walk/dispatch_gap.hpp"

#include <algorithm>

#include "core/attribution/walked_process.hpp"

namespace stepscope {
namespace {

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

DispatchGap::DispatchGap(const WalkedProcess& walked, const Owners& owners)
    : walked_(walked),
      owners_(owners),
      overhead_(told_of(walked.trace, false)),
      loading_(told_of(walked.trace, true)) {}

// What the tracer and the loading of modules did meanwhile, the latest end first.
std::vector<DispatchGap::Told> DispatchGap::told_in(Interval time) const {
  std::vector<Told> all;
  for (const Interval& part : clip(overhead_, time)) all.push_back({part, Cause::profiler});
  for (const Interval& part : clip(loading_, time)) all.push_back({part, Cause::host_module_load});
  std::sort(all.begin(), all.end(),
            [](const Told& a, const Told& b) { return a.time.end > b.time.end; });
  return all;
}

// Who kept a ready op from a device that ran nothing of this process.
Cause DispatchGap::unseen_by(DeviceOpId op, std::int64_t time) const {
  const Stream& stream = walked_.trace.data().streams[walked_.trace.device_ops().stream[op]];
  return walked_.shared_devices.is_shared(stream.device, time) ? Cause::gpu_shared : Cause::unknown;
}

void DispatchGap::own(WalkPath& path, DeviceOpId op, const Readiness& ready) const {
  const std::int64_t latency = walked_.dependencies.edges().launch_latency_ns;
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
  for (const Told& told : told_in({since, path.time})) {
    owners_.device(path, told.time.end, unseen, op);
    owners_.device(path, told.time.begin, told.cause, op);
  }
  owners_.device(path, since, unseen, op);
}

}  // namespace stepscope
