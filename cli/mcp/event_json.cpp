// SPDX-License-Identifier: Apache-2.0
#include "cli/mcp/event_query.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cli/mcp/answer.hpp"
#include "core/exporters/tables.hpp"
#include "core/report/wording/numbers.hpp"
#include "core/summary/parts.hpp"

namespace stepscope::mcp {
namespace {

constexpr std::size_t kMostParents = 8;
constexpr std::size_t kMostLaunched = 8;

Interval time_of(const Trace& trace, EventId id) {
  if (id.on_device) return {trace.device_ops().begin[id.row], trace.device_ops().end[id.row]};
  return {trace.host_ranges().begin[id.row], trace.host_ranges().end[id.row]};
}

void add_place(const Trace& trace, EventId id, Json& out) {
  const SiteId at = site_of(trace, id);
  if (at == kNone) return;
  const Site& site = trace.data().sites[at];
  out["file"] = trace.text(site.file);
  out["line"] = site.line;
}

std::string named(const Trace& trace, EventId id) {
  return fmt::format("{} {}", text_of(id), shortened(name_of_event(trace, id), kLongestOperation));
}

Json parents_json(const Trace& trace, RangeId range) {
  Json out = Json::array();
  for (range = trace.host_ranges().parent[range]; range != kNone && out.size() < kMostParents;
       range = trace.host_ranges().parent[range])
    out.push_back(named(trace, {false, range}));
  return out;
}

void add_host(const Trace& trace, RangeId range, Json& out) {
  const Thread& thread = trace.data().threads[trace.host_ranges().thread[range]];
  out["thread"] = thread.name.empty() ? std::to_string(thread.tid) : thread.name;
  out["inside"] = parents_json(trace, range);
  const CallId call = trace.call_of(range);
  if (call == kNone) return;
  if (trace.calls().bytes[call] != kUnknownBytes) out["bytes"] = trace.calls().bytes[call];
  const auto ops = trace.ops_launched_by(call);
  out["launched"] = Json::array();
  for (std::size_t i = 0; i < std::min(kMostLaunched, ops.size()); ++i)
    out["launched"].push_back(named(trace, {true, ops[i]}));
  if (ops.size() > kMostLaunched) out["launched_count"] = ops.size();
}

void add_launch(const Trace& trace, DeviceOpId op, Json& out) {
  const CallId call = trace.launch_of(op);
  if (call == kNone) return;
  const RangeId range = trace.calls().range[call];
  out["launched_by"] = named(trace, {false, range});
  out["launch_to_start_ns"] = trace.device_ops().begin[op] - trace.host_ranges().end[range];
  out["inside"] = parents_json(trace, range);
}

void add_config(const Trace& trace, DeviceOpId op, Json& out) {
  const LaunchConfigId id = trace.device_ops().launch_config[op];
  if (id == kNone) return;
  const LaunchConfig& config = trace.data().launch_configs[id];
  out["grid"] = config.grid;
  out["block"] = config.block;
  out["registers_per_thread"] = config.registers_per_thread;
  out["shared_bytes"] = config.shared_bytes;
}

// The ops before and behind on the same stream, and how long it was idle between.
void add_neighbours(const Trace& trace, DeviceOpId op, Json& out) {
  const DeviceOps& d = trace.device_ops();
  const auto ops = trace.ops_of(d.stream[op]);
  const auto at = std::find(ops.begin(), ops.end(), op);
  if (at != ops.begin()) {
    out["before"] = named(trace, {true, *std::prev(at)});
    out["idle_before_ns"] = d.begin[op] - d.end[*std::prev(at)];
  }
  if (at != ops.end() && std::next(at) != ops.end())
    out["behind"] = named(trace, {true, *std::next(at)});
}

void add_device(const LoadedRun& run, DeviceOpId op, Json& out) {
  const DeviceOps& d = run.trace.device_ops();
  const Stream& stream = run.trace.data().streams[d.stream[op]];
  out["device"] = stream.device;
  out["stream"] = stream.stream;
  out["class"] = name_of(run.attribution.ops[op].cause);
  if (d.bytes[op] != kUnknownBytes) out["bytes"] = d.bytes[op];
  if (d.copy_kind[op] != CopyKind::none)
    out["direction"] = exporting::copy_direction(d.copy_kind[op]);
  if (d.graph[op] != 0) out["graph"] = d.graph[op];
  add_launch(run.trace, op, out);
  add_neighbours(run.trace, op, out);
  add_config(run.trace, op, out);
}

// Adds the step whose window holds its begin.
void add_step(const LoadedRun& run, std::int64_t begin, Json& out) {
  for (const Step& step : run.steps.list)
    if (step.window.contains(begin)) out["step"] = step.id;
}

void add_owned(const LoadedRun& run, EventId id, Json& out) {
  std::map<std::pair<Cause, PhaseId>, std::int64_t> owned;
  for (const Segment& s : run.attribution.process.segments) {
    const bool device = s.device_evidence != kNone;
    const std::uint32_t row = device ? s.device_evidence : s.host_evidence;
    if (device == id.on_device && row == id.row) owned[{s.cause, s.phase}] += s.time.length();
  }
  const auto paths = summary_parts::phase_paths(run.attribution.phases);
  out["owns"] = Json::array();
  for (const auto& [owner, ns] : owned)
    out["owns"].push_back(
        {{"cause", name_of(owner.first)}, {"phase_path", paths[owner.second]}, {"ns", ns}});
}

}  // namespace

std::string_view kind_of(const Trace& trace, EventId id) {
  return id.on_device ? exporting::op_kind(trace.device_ops().kind[id.row])
                      : exporting::host_kind(trace.host_ranges().kind[id.row]);
}

std::string_view name_of_event(const Trace& trace, EventId id) {
  return trace.text(id.on_device ? trace.device_ops().name[id.row]
                                 : trace.host_ranges().name[id.row]);
}

Json event_row(const LoadedRun& run, const FoundEvent& event) {
  Json out = {{"id", text_of(event.id)},
              {"kind", kind_of(run.trace, event.id)},
              {"name", shortened(name_of_event(run.trace, event.id), kLongestOperation)},
              {"at_ns", event.begin - run.trace.begin()},
              {"ns", event.end - event.begin},
              {"owns_ns", event.owns_ns}};
  add_place(run.trace, event.id, out);
  return out;
}

Json event_json(const LoadedRun& run, EventId id) {
  const Interval time = time_of(run.trace, id);
  Json out = {{"id", text_of(id)},
              {"kind", kind_of(run.trace, id)},
              {"name", name_of_event(run.trace, id)},
              {"at_ns", time.begin - run.trace.begin()},
              {"ns", time.length()}};
  add_step(run, time.begin, out);
  add_place(run.trace, id, out);
  if (id.on_device) {
    add_device(run, id.row, out);
  } else {
    add_host(run.trace, id.row, out);
  }
  add_owned(run, id, out);
  return out;
}

}  // namespace stepscope::mcp
