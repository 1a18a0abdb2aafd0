// SPDX-License-Identifier: Apache-2.0
#include "core/steps/lost_device_work.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "core/steps/activity.hpp"
#include "core/steps/rows.hpp"
#include "core/support/statistics.hpp"

namespace stepscope {
namespace {

constexpr double kAsUsual = 0.95;
constexpr std::size_t kFewest = 2;  // steps that can be told from one another

// Parents stand before their children, so one pass in row order hands it down.
std::vector<bool> inside_a_call(const HostRanges& h) {
  std::vector<bool> inside(h.size());
  for (RangeId r = 0; r < h.size(); ++r) {
    const RangeId outer = h.parent[r];
    inside[r] = outer != kNone && (inside[outer] || family_of(h.kind[outer]) == HostFamily::api);
  }
  return inside;
}

std::vector<bool> with_device_work(const Trace& trace, const Steps& steps) {
  std::vector<bool> out(steps.list.size());
  for (DeviceOpId op = 0; op < trace.device_ops().size(); ++op) {
    if (trace.data().streams[trace.device_ops().stream[op]].process != steps.process) continue;
    if (const std::size_t k = row_at(steps, host_time_of(trace, op)); k < out.size()) out[k] = true;
  }
  return out;
}

std::map<ProcessId, IntervalSet> capture_times(const Trace& trace) {
  constexpr std::int64_t kEver = std::numeric_limits<std::int64_t>::max();
  const HostRanges& h = trace.host_ranges();
  std::map<ProcessId, std::vector<Interval>> times;
  for (CallId call = 0; call < trace.calls().size(); ++call) {
    if (trace.calls().api[call] != ApiKind::graph_build) continue;
    const RangeId range = trace.calls().range[call];
    std::vector<Interval>& own = times[trace.data().threads[h.thread[range]].process];
    const std::string_view name = trace.text(h.name[range]);
    if (name.find("StreamBeginCapture") != std::string_view::npos)
      own.push_back({h.begin[range], kEver});
    else if (name.find("StreamEndCapture") != std::string_view::npos && !own.empty())
      own.back().end = std::min(own.back().end, h.end[range]);
  }
  std::map<ProcessId, IntervalSet> out;
  for (auto& [process, own] : times) out[process] = unite(std::move(own));
  return out;
}

// Launches of which the work is missing, beyond those whose work no record ties to them.
bool any_lost(const std::vector<StepLaunches>& launches, std::uint64_t unlinked) {
  std::uint64_t lacking = 0;
  for (const StepLaunches& step : launches) lacking += step.unrecorded;
  return lacking > unlinked;
}

double share_recorded(const StepLaunches& step) {
  const auto all = static_cast<double>(step.recorded + step.unrecorded);
  return all > 0 ? static_cast<double>(step.recorded) / all : 1;
}

bool lacks_all(const StepLaunches& step) {
  return step.recorded == 0 && step.unrecorded > 0;
}

// The best but one: lost records make none better.
double usual_share(const std::vector<StepLaunches>& launches) {
  std::vector<double> shares;
  for (const StepLaunches& step : launches)
    if (step.recorded + step.unrecorded > 0) shares.push_back(share_recorded(step));
  if (shares.size() < 2) return 0;
  std::sort(shares.rbegin(), shares.rend());
  return shares[1];
}

std::vector<bool> without_launches_or_work(const Trace& trace, const Steps& steps,
                                           const std::vector<StepLaunches>& launches) {
  const std::vector<bool> works = with_device_work(trace, steps);
  std::vector<std::int64_t> usual;
  for (std::size_t k = 0; k < launches.size(); ++k)
    if (works[k]) usual.push_back(steps.list[k].host.length());
  std::vector<bool> out(launches.size(), false);
  if (usual.size() < 2) return out;
  const std::int64_t half = median(usual) / 2;
  for (std::size_t k = 0; k < launches.size(); ++k) {
    const bool launched = launches[k].recorded + launches[k].unrecorded > 0;
    out[k] = !works[k] && !launched && steps.list[k].host.length() >= half;
  }
  return out;
}

// The step in which the device's records end while launches go on: its last ones have none, nor has
// any behind it.
std::size_t step_of_cut(const std::vector<StepLaunches>& launches) {
  std::size_t last = launches.size();
  while (last > 0 && launches[last - 1].recorded == 0) --last;
  const bool more =
      std::any_of(launches.begin() + static_cast<std::ptrdiff_t>(last), launches.end(), lacks_all);
  return last > 0 && more && !launches[last - 1].last_recorded ? last - 1 : launches.size();
}

std::vector<bool> lost_steps(const Trace& trace, const Steps& steps) {
  const std::vector<StepLaunches> launches = launches_by_step(trace, steps);
  std::vector<bool> lost = without_launches_or_work(trace, steps, launches);
  const std::vector<bool> unlinked = unlinked_ops(trace, steps.process);
  const auto without_link =
      static_cast<std::uint64_t>(std::count(unlinked.begin(), unlinked.end(), true));
  if (!any_lost(launches, without_link)) return lost;
  const double least = kAsUsual * usual_share(launches);
  const std::size_t cut = step_of_cut(launches);
  for (std::size_t k = 0; k < launches.size(); ++k)
    lost[k] = lost[k] || share_recorded(launches[k]) < least || lacks_all(launches[k]) || k == cut;
  return lost;
}

}  // namespace

std::vector<bool> cut_graph_launches(const Trace& trace) {
  std::map<std::pair<std::uint32_t, StringId>, std::vector<CallId>> launches;  // by graph, first op
  const Calls& calls = trace.calls();
  for (CallId call = 0; call < calls.size(); ++call) {
    const auto ops = trace.ops_launched_by(call);
    if (calls.api[call] != ApiKind::launch_graph || ops.empty()) continue;
    const DeviceOpId first = ops.front();
    launches[{trace.device_ops().graph[first], trace.device_ops().name[first]}].push_back(call);
  }
  std::vector<bool> out(calls.size(), false);
  const auto size_of = [&trace](CallId call) { return trace.ops_launched_by(call).size(); };
  for (const auto& [graph, of_graph] : launches) {
    std::size_t most = 0;
    for (const CallId call : of_graph) most = std::max(most, size_of(call));
    const auto whole = std::count_if(of_graph.begin(), of_graph.end(),
                                     [&](CallId call) { return size_of(call) == most; });
    for (const CallId call : of_graph)
      out[call] = 2 * whole >= std::ssize(of_graph) && size_of(call) < most;
  }
  return out;
}

std::vector<bool> captured_launches(const Trace& trace) {
  const Calls& calls = trace.calls();
  const HostRanges& h = trace.host_ranges();
  const std::map<ProcessId, IntervalSet> captures = capture_times(trace);
  std::vector<bool> out(calls.size(), false);
  for (CallId call = 0; call < calls.size() && !captures.empty(); ++call) {
    if (!is_launch(calls.api[call]) || !trace.ops_launched_by(call).empty()) continue;
    const RangeId range = calls.range[call];
    const auto own = captures.find(trace.data().threads[h.thread[range]].process);
    out[call] =
        own != captures.end() && !clip(own->second, {h.begin[range], h.begin[range] + 1}).empty();
  }
  return out;
}

std::vector<StepLaunches> launches_by_step(const Trace& trace, const Steps& steps) {
  std::vector<StepLaunches> out(steps.list.size());
  std::vector<std::int64_t> last(out.size(), std::numeric_limits<std::int64_t>::min());
  const HostRanges& h = trace.host_ranges();
  const Calls& calls = trace.calls();
  const std::vector<bool> inside = inside_a_call(h), cut = cut_graph_launches(trace),
                          captured = captured_launches(trace);
  for (CallId call = 0; call < calls.size(); ++call) {
    const RangeId range = calls.range[call];
    const bool puts_kernels =
        calls.api[call] == ApiKind::launch_kernel || calls.api[call] == ApiKind::launch_graph;
    if (!puts_kernels || captured[call] || calls.correlation[call] == 0) continue;
    if (trace.data().threads[h.thread[range]].process != steps.process) continue;
    const std::size_t step = row_at(steps, h.begin[range]);
    if (step >= out.size()) continue;
    const bool recorded = !trace.ops_launched_by(call).empty() && !cut[call];
    if (!recorded && inside[range]) continue;  // a driver call inside a runtime call
    ++(recorded ? out[step].recorded : out[step].unrecorded);
    if (h.begin[range] < last[step]) continue;
    last[step] = h.begin[range];
    out[step].last_recorded = recorded;
  }
  return out;
}

std::vector<bool> unlinked_ops(const Trace& trace, ProcessId process) {
  const DeviceOps& ops = trace.device_ops();
  const std::vector<Stream>& streams = trace.data().streams;
  std::vector<bool> linked(streams.size(), false);
  bool any = false;
  for (DeviceOpId op = 0; op < ops.size(); ++op) {
    if (trace.launch_of(op) == kNone || streams[ops.stream[op]].process != process) continue;
    linked[ops.stream[op]] = any = true;
  }
  std::vector<bool> out(ops.size(), false);
  for (DeviceOpId op = 0; op < ops.size(); ++op) {
    if (streams[ops.stream[op]].process != process || trace.launch_of(op) != kNone) continue;
    out[op] = ops.correlation[op] == 0 || (any && !linked[ops.stream[op]]);
  }
  return out;
}

void set_lost_work_aside(const Trace& trace, Steps& steps) {
  const bool is_judged = trace.data().source != SourceKind::stepscope &&
                         trace.device_ops().size() > 0 && steps.list.size() >= kFewest;
  if (!is_judged) return;
  const std::vector<bool> lost = lost_steps(trace, steps);
  for (std::size_t k = 0; k < lost.size(); ++k) {
    if (!lost[k]) continue;
    set_aside(steps.list[k], "the trace does not hold its device work");
    steps.list[k].wall_known = false;
    ++steps.without_device_work;
  }
  std::vector<std::size_t> followers;
  for (std::size_t k = 1; k < lost.size(); ++k)
    if (lost[k - 1]) followers.push_back(k);
  set_aside_unless_all(steps, followers, "follows a step whose device work is not in the trace");
}

}  // namespace stepscope
