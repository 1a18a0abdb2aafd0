// SPDX-License-Identifier: Apache-2.0
#include "tests/simulator/recording.hpp"

#include "tests/core/model/trace_maker.hpp"

namespace stepscope::simulator {
namespace {

std::int64_t tid(std::uint32_t thread) {
  return thread + 1;
}

// Sites are rows, one a line.
SiteId site_of(TraceMaker& make, std::uint32_t line) {
  for (SiteId site = 0; site < make.data.sites.size(); ++site) {
    if (make.data.sites[site].line == line) return site;
  }
  return make.site("train.py", line);
}

void add_range(TraceMaker& make, const HostRange& range, bool arguments) {
  const std::int64_t begin = range.time.begin + kStart;
  const std::int64_t end = range.time.end + kStart;
  if (range.kind != HostKind::runtime_call) {
    make.range(range.kind, range.name, tid(range.thread), begin, end);
    return;
  }
  const bool stream = arguments && range.stream != kNone;
  make.call(range.name, tid(range.thread), begin, end, range.correlation,
            stream ? make.stream(range.stream) : kNone, arguments ? range.event : 0);
  if (range.line != 0) make.data.host_ranges.site.back() = site_of(make, range.line);
}

void add_op(TraceMaker& make, const SimulatedOp& op) {
  const DeviceOpId at = make.device_op(op.kind, op.name, make.stream(op.stream), op.begin + kStart,
                                       op.end + kStart, op.correlation);
  DeviceOps& ops = make.data.device_ops;
  ops.graph[at] = op.graph;
  ops.graph_node[at] = op.graph == 0 ? 0 : at + 1;
  ops.copy_kind[at] = op.copy;
  ops.source_memory[at] = op.from;
  ops.target_memory[at] = op.to;
  if (op.kind != DeviceOpKind::kernel) ops.bytes[at] = op.bytes;
}

}  // namespace

Trace record(const Run& run) {
  TraceMaker make;
  make.data.source = SourceKind::stepscope;
  make.thread(tid(kLoop), "loop");
  for (const HostRange& range : run.ranges) add_range(make, range, run.recording.api_arguments);
  for (const SimulatedOp& op : run.ops) add_op(make, op);
  Collected& collected = make.data.collected;
  collected.device_ops = collected.api_calls = collected.user_scopes = true;
  collected.api_arguments = run.recording.api_arguments;
  collected.framework_ops = run.recording.ops;
  collected.python_functions = run.recording.python;
  collected.call_sites = !make.data.sites.empty();
  return make.build();
}

Steps true_steps(const Run& run, const Trace& trace) {
  Steps steps;
  steps.found_by = FoundBy::profiler_step;
  for (ThreadId t = 0; t < trace.data().threads.size(); ++t) {
    if (trace.data().threads[t].tid == tid(kLoop)) steps.thread = t;
  }
  for (std::size_t i = 0; i < run.windows.size(); ++i) {
    const Interval host = run.step_host[run.first_counted + i];
    steps.list.push_back({.id = static_cast<std::int64_t>(run.first_counted + i),
                          .host = {host.begin + kStart, host.end + kStart},
                          .window = {run.windows[i].begin + kStart, run.windows[i].end + kStart}});
  }
  return steps;
}

}  // namespace stepscope::simulator
