// SPDX-License-Identifier: Apache-2.0
// What is missing of CUDA graphs: the captures of ops, and the ops of launches.
#include <fmt/format.h>

#include <algorithm>

#include "core/summary/parts.hpp"

namespace stepscope::summary_parts {
namespace {

struct GraphLaunches {
  std::uint64_t all = 0;
  std::uint64_t without_ops = 0;
};

// A launch at the end may not have run when the record ended, so only those before the last op that
// ran count.
GraphLaunches count_launches(const Trace& trace, ProcessId process) {
  GraphLaunches count;
  const Calls& calls = trace.calls();
  const HostRanges& h = trace.host_ranges();
  if (trace.device_ops().size() == 0) return count;
  const std::int64_t last = trace.device_ops().begin.back();
  for (CallId call = 0; call < calls.size(); ++call) {
    const RangeId range = calls.range[call];
    if (calls.api[call] != ApiKind::launch_graph || h.end[range] > last) continue;
    if (trace.data().threads[h.thread[range]].process != process) continue;
    count.all += 1;
    count.without_ops += trace.ops_launched_by(call).empty() ? 1U : 0U;
  }
  return count;
}

void note_whole_graphs(const Trace& trace, std::vector<std::string>& notes) {
  const auto launches = std::ranges::count(trace.device_ops().kind, DeviceOpKind::graph);
  if (launches == 0) return;
  notes.push_back(fmt::format(
      "{} launches of CUDA graphs are one op each: what ran inside is not recorded", launches));
}

}  // namespace

void note_graphs(const Trace& trace, const Steps& steps, const GraphWork& graphs,
                 std::vector<std::string>& notes) {
  if (graphs.ops_without_capture > 0) {
    notes.push_back(fmt::format(
        "{} of {} device ops of CUDA graphs ({:.1f} %) are shown at the launch of their graph: "
        "where they were captured is not recorded",
        graphs.ops_without_capture, graphs.ops,
        100.0 * static_cast<double>(graphs.ops_without_capture) / static_cast<double>(graphs.ops)));
  }
  note_whole_graphs(trace, notes);
  const GraphLaunches launches = count_launches(trace, steps.process);
  if (launches.without_ops == 0) return;
  notes.push_back(
      fmt::format("{} of {} launches of CUDA graphs left no device record: their work "
                  "was lost, or their graphs are empty",
                  launches.without_ops, launches.all));
}

}  // namespace stepscope::summary_parts
