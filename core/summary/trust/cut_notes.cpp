// SPDX-License-Identifier: Apache-2.0
// Of other tools' traces: pieces of a run, and records of the host and of the device that do not
// meet. Our own recorder writes both ends of what it records.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "core/steps/lost_device_work.hpp"
#include "core/summary/parts.hpp"

namespace stepscope::summary_parts {
namespace {

constexpr double kFew = 0.01;

// Records of one side that lack the other: `at_edge` where nothing of their stream (or thread) lies
// beyond them that has it.
struct Lacking {
  std::uint64_t all = 0, at_edge = 0, elsewhere = 0;
  std::uint64_t together() const { return at_edge + elsewhere; }
  bool is_much() const { return static_cast<double>(elsewhere) > kFew * static_cast<double>(all); }
};

// Device work without its launch, but for what the profiler ties to none; the edge is the begin of a
// stream.
Lacking without_launch(const Trace& trace, ProcessId process, const std::vector<bool>& unlinked) {
  Lacking lacking;
  for (StreamId stream = 0; stream < trace.data().streams.size(); ++stream) {
    if (trace.data().streams[stream].process != process) continue;
    std::uint64_t unseen = 0;
    bool any_seen = false;
    for (const DeviceOpId op : trace.ops_of(stream)) {
      ++lacking.all;
      if (trace.launch_of(op) == kNone) {
        unseen += unlinked[op] ? 0U : 1U;
        continue;
      }
      if (!any_seen) lacking.at_edge += std::exchange(unseen, 0);
      any_seen = true;
    }
    lacking.elsewhere += unseen;
  }
  return lacking;
}

bool is_inside_a_call(const HostRanges& ranges, RangeId range) {
  const RangeId outer = ranges.parent[range];
  return outer != kNone && family_of(ranges.kind[outer]) == HostFamily::api;
}

// Kernel launches without their device work, but for those that a graph captures; the edge is the end
// of a thread.
Lacking without_device_work(const Trace& trace, ProcessId process) {
  const HostRanges& ranges = trace.host_ranges();
  Lacking lacking;
  std::map<ThreadId, std::uint64_t> since_seen;
  const std::vector<bool> cut = cut_graph_launches(trace), captured = captured_launches(trace);
  for (CallId call = 0; call < trace.calls().size(); ++call) {
    const RangeId range = trace.calls().range[call];
    const ThreadId thread = ranges.thread[range];
    if (trace.data().threads[thread].process != process || captured[call] ||
        is_inside_a_call(ranges, range))
      continue;
    const ApiKind api = trace.calls().api[call];
    const bool is_kernel = api == ApiKind::launch_kernel || api == ApiKind::launch_graph;
    const bool has_work = !trace.ops_launched_by(call).empty() && !cut[call];
    lacking.all += is_kernel ? 1U : 0U;
    if (has_work) lacking.elsewhere += std::exchange(since_seen[thread], 0);
    if (is_kernel && !has_work) ++since_seen[thread];
  }
  for (const auto& [thread, unseen] : since_seen) lacking.at_edge += unseen;
  return lacking;
}

// Work that launches without any may have done. Migrations of managed memory are no call's.
std::uint64_t without_link(const Trace& trace, const std::vector<bool>& unlinked) {
  const DeviceOps& d = trace.device_ops();
  std::uint64_t out = 0;
  for (DeviceOpId op = 0; op < d.size(); ++op) {
    const bool migrates =
        d.source_memory[op] == MemoryKind::managed && d.target_memory[op] == MemoryKind::managed;
    out += unlinked[op] && !migrates ? 1U : 0U;
  }
  return out;
}

}  // namespace

double lost_device_work(const Trace& trace, const Steps& steps, const Counting& counting) {
  if (trace.data().source == SourceKind::stepscope || trace.device_ops().size() == 0) return 0;
  const std::vector<StepLaunches> launches = launches_by_step(trace, steps);
  const std::uint64_t tied_to_none = without_link(trace, unlinked_ops(trace, steps.process));
  std::uint64_t recorded = tied_to_none, unrecorded = 0;
  for (const std::uint32_t row : counting.rows) {
    recorded += launches[row].recorded;
    unrecorded += launches[row].unrecorded;
  }
  if (unrecorded <= tied_to_none) return 0;
  return static_cast<double>(unrecorded - tied_to_none) /
         static_cast<double>(std::max<std::uint64_t>(recorded, 1));
}

void note_cuts(const Trace& trace, const Steps& steps, std::vector<std::string>& notes) {
  if (trace.data().source == SourceKind::stepscope || trace.calls().size() == 0) return;
  const std::vector<bool> unlinked = unlinked_ops(trace, steps.process);
  const Lacking ops = without_launch(trace, steps.process, unlinked);
  Lacking launches = without_device_work(trace, steps.process);
  const std::uint64_t tied_to_none = without_link(trace, unlinked);
  if (launches.together() <= tied_to_none) launches = {};
  if (2 * tied_to_none > ops.all)
    notes.push_back(
        fmt::format("{} of {} device ops are tied to no launch by this trace; what they waited for "
                    "is read off the loop's thread",
                    tied_to_none, ops.all));
  if (steps.without_device_work > 0)
    notes.push_back(
        fmt::format("{} of {} steps are not counted: the trace does not hold their device work",
                    steps.without_device_work, steps.list.size()));
  if (ops.at_edge > 0)
    notes.push_back(
        fmt::format("the trace begins in the middle of the run: {} of {} device ops, at its begin, "
                    "were launched before it",
                    ops.at_edge, ops.all));
  if (ops.is_much())
    notes.push_back(
        fmt::format("the trace is cut: {} of {} device ops have no launch in it; what they waited "
                    "for is read off the loop's thread",
                    ops.elsewhere, ops.all));
  if (ops.all > 0 && launches.at_edge > 0)
    notes.push_back(
        fmt::format("the trace ends in the middle of the run: of the last {} of {} kernel launches "
                    "it does not hold the device's work",
                    launches.at_edge, launches.all));
  if (ops.all > 0 && launches.is_much())
    notes.push_back(fmt::format(
        "the trace is cut: of {} of {} kernel launches it does not hold the device's work",
        launches.elsewhere, launches.all));
}

}  // namespace stepscope::summary_parts
