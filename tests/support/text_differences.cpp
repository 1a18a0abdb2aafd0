// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <numeric>

#include "tests/support/text_case.hpp"

namespace stepscope::testing {
namespace {

const Partition* partition_of(const Attribution& attribution, std::optional<std::uint32_t> device) {
  if (!device) return &attribution.process;
  for (const Partition& partition : attribution.devices) {
    if (partition.device == *device) return &partition;
  }
  return nullptr;
}

std::string title(const ExpectedParts& parts) {
  std::string out = parts.device ? "device " + std::to_string(*parts.device) + ", " : "";
  return out + (parts.step ? "step " + std::to_string(*parts.step) : "all steps");
}

// From the cells; what the segments say is compared with it below.
PerCause<std::int64_t> sum_cells(const Partition& partition, std::optional<std::uint32_t> step) {
  PerCause<std::int64_t> ns{};
  for (const Cell& cell : partition.cells) {
    if (!step || cell.step == *step) ns[index_of(cell.cause)] += cell.ns;
  }
  return ns;
}

PerCause<std::int64_t> sum_segments(const Partition& partition, Interval window) {
  PerCause<std::int64_t> ns{};
  for (const Segment& segment : partition.segments) {
    ns[index_of(segment.cause)] += intersect(segment.time, window).length();
  }
  return ns;
}

std::string compare_parts(const ExpectedParts& expected, const PerCause<std::int64_t>& found) {
  std::string out;
  for (std::size_t i = 0; i < kCauseCount; ++i) {
    if (expected.ns[i] == found[i]) continue;
    out += "  " + std::string(name_of(static_cast<Cause>(i))) + ": expected " +
           print_time(expected.ns[i]) + " us, found " + print_time(found[i]) + " us\n";
  }
  return out;
}

std::string list_segments(const Partition& partition) {
  std::string out = "  segments found:\n";
  for (const Segment& segment : partition.segments) {
    if (out.size() > 4000) return out + "    ...\n";
    out += "    [" + print_time(segment.time.begin - kBase) + ", " +
           print_time(segment.time.end - kBase) + ") " + std::string(name_of(segment.cause)) + "\n";
  }
  return out;
}

std::string check_parts(const ExpectedParts& expected, const Attribution& attribution) {
  const Partition* partition = partition_of(attribution, expected.device);
  if (partition == nullptr) return title(expected) + ": no such partition\n";
  const std::string lines = compare_parts(expected, sum_cells(*partition, expected.step));
  return lines.empty() ? "" : title(expected) + ":\n" + lines + list_segments(*partition);
}

PhaseId outermost(const Attribution& attribution, PhaseId phase) {
  while (phase != 0 && attribution.phases[phase].parent != 0)
    phase = attribution.phases[phase].parent;
  return phase;
}

std::string site_name(const Trace& trace, SiteId id) {
  if (id == kNone) return "none";
  const Site& site = trace.data().sites[id];
  return std::string(trace.text(site.file)) + ":" + std::to_string(site.line);
}

// "FILE:LINE", or "FILE:LINE:backward".
std::string site_name(const Trace& trace, const Cell& cell) {
  const std::string direction(name_of(cell.direction));
  return site_name(trace, cell.site) + (direction.empty() ? "" : ":" + direction);
}

std::string time_of_phase(const Attribution& attribution, const std::string& name) {
  std::int64_t ns = 0;
  for (const Cell& cell : attribution.process.cells) {
    const PhaseId phase = outermost(attribution, cell.phase);
    const std::string found = phase == 0 ? "none" : attribution.phases[phase].name;
    if (found == name) ns += cell.ns;
  }
  return print_time(ns);
}

std::string path_of(const Attribution& attribution, PhaseId phase) {
  if (phase == 0) return "none";
  const Phase& own = attribution.phases[phase];
  return own.parent == 0 ? own.name : path_of(attribution, own.parent) + "/" + own.name;
}

// Returns the time of exactly that phase, inner ones left out.
std::string time_of_path(const Attribution& attribution, const std::string& path) {
  std::int64_t ns = 0;
  for (const Cell& cell : attribution.process.cells) {
    if (path_of(attribution, cell.phase) == path) ns += cell.ns;
  }
  return print_time(ns);
}

// "CAUSE FILE:LINE".
std::string time_of_site(const Trace& trace, const Attribution& attribution,
                         const std::string& name) {
  std::int64_t ns = 0;
  for (const Cell& cell : attribution.process.cells) {
    if (std::string(name_of(cell.cause)) + " " + site_name(trace, cell) == name) ns += cell.ns;
  }
  return print_time(ns);
}

std::string names_of(const Trace& trace, const Transfer& transfer) {
  std::string names;
  for (const std::uint32_t row : transfer.calls) {
    const RangeId range = trace.data().collectives.range[row];
    names += (names.empty() ? "" : "+") + std::string(trace.text(trace.host_ranges().name[range]));
  }
  return names;
}

// "CALLS BYTES TIME" over the transfers of these calls.
std::string transfer_fact(const Trace& trace, const Attribution& attribution,
                          const std::string& names) {
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;
  std::int64_t ns = 0;
  for (std::uint32_t t = 0; t < attribution.transfers.size(); ++t) {
    const Transfer& transfer = attribution.transfers[t];
    if (names_of(trace, transfer) != names) continue;
    calls += transfer.calls.size();
    for (const std::uint32_t row : transfer.calls) bytes += trace.data().collectives.bytes[row];
    for (DeviceOpId op = 0; op < attribution.ops.size(); ++op) {
      if (attribution.ops[op].transfer == t)
        ns += trace.device_ops().end[op] - trace.device_ops().begin[op];
    }
  }
  return std::to_string(calls) + " " + std::to_string(bytes) + " " + print_time(ns);
}

std::string edge_fact(const Edges& edges, const std::string& name) {
  const std::map<std::string, std::uint64_t> values = {
      {"event_waits_exact", edges.event_waits_exact},
      {"event_waits_inferred", edges.event_waits_inferred},
      {"unresolved_waits", edges.unresolved_waits},
      {"queue_depth", edges.queue_depth}};
  const auto at = values.find(name);
  return at == values.end() ? "no such counter" : std::to_string(at->second);
}

std::string step_fact(const ExpectedFact& fact, const Steps& steps) {
  const std::uint64_t at = parse_count(fact.name);
  if (at >= steps.list.size()) return "no such step";
  const Step& step = steps.list[at];
  if (fact.what == "begin") return print_time(step.window.begin - kBase);
  if (fact.what == "end") return print_time(step.window.end - kBase);
  if (fact.what == "wall_known") return step.wall_known ? "yes" : "no";
  return step.steady ? "yes" : "no";
}

std::string found_fact(const ExpectedFact& fact, const Trace& trace, const Steps& steps,
                       const Attribution& attribution) {
  if (fact.what == "phase") return time_of_phase(attribution, fact.name);
  if (fact.what == "path") return time_of_path(attribution, fact.name);
  if (fact.what == "site") return time_of_site(trace, attribution, fact.name);
  if (fact.what == "transfers") return std::to_string(attribution.transfers.size());
  if (fact.what == "transfer") return transfer_fact(trace, attribution, fact.name);
  if (fact.what == "edges") return edge_fact(attribution.edges, fact.name);
  if (fact.what == "latency") return print_time(attribution.edges.launch_latency_ns);
  if (fact.what == "queued_idle") return print_time(attribution.process.queued_idle_ns);
  if (fact.what == "queued_busy") return print_time(attribution.process.queued_busy_ns);
  if (fact.what == "inflated") return attribution.inflated ? "yes" : "no";
  if (fact.what == "steps") return std::to_string(steps.list.size());
  if (fact.what == "begin" || fact.what == "end" || fact.what == "wall_known" ||
      fact.what == "steady") {
    return step_fact(fact, steps);
  }
  return "(the runner does not know this fact)";
}

// None is broken, unless the case says how many are (`expect broken 1`).
std::string check_invariants(const TextCase& expected, const Attribution& attribution) {
  std::size_t wanted = 0;
  for (const ExpectedFact& fact : expected.facts) {
    if (fact.what == "broken") wanted = parse_count(fact.value);
  }
  std::vector<std::string> all = attribution.broken_invariants;
  all.insert(all.end(), attribution.over_budget.begin(), attribution.over_budget.end());
  if (all.size() == wanted) return "";
  std::string out = std::to_string(wanted) + " broken invariants expected, found these:\n";
  for (const std::string& broken : all) out += "  broken: " + broken + "\n";
  return out;
}

// Exactness holds for every case: windows tiled without gap or overlap, cells equal to segments.
std::string check_tiling(const Partition& partition) {
  for (std::size_t i = 1; i < partition.segments.size(); ++i) {
    const std::int64_t end = partition.segments[i - 1].time.end;
    if (end == partition.segments[i].time.begin) continue;
    return "segments do not tile at " + print_time(end - kBase) + "\n";
  }
  return "";
}

std::string check_step(const Partition& partition, const Steps& steps, std::uint32_t step) {
  const PerCause<std::int64_t> cells = sum_cells(partition, step);
  const std::int64_t owned = std::accumulate(cells.begin(), cells.end(), std::int64_t{0});
  const std::int64_t wall = steps.list[step].wall_ns();
  std::string out;
  if (owned != wall) {
    out += "step " + std::to_string(step) + ": parts sum to " + print_time(owned) + " of " +
           print_time(wall) + " us wall\n";
  }
  if (sum_segments(partition, steps.list[step].window) != cells) {
    out += "step " + std::to_string(step) + ": cells differ from segments\n";
  }
  return out;
}

std::string check_partition(const Partition& partition, const Steps& steps) {
  std::string out = check_tiling(partition);
  for (std::uint32_t step = 0; step < steps.list.size(); ++step) {
    if (steps.list[step].wall_known) out += check_step(partition, steps, step);
  }
  return out;
}

}  // namespace

std::string differences(const TextCase& expected, const Steps& steps,
                        const Attribution& attribution) {
  std::string out;
  out += check_invariants(expected, attribution);
  out += check_partition(attribution.process, steps);
  for (const Partition& partition : attribution.devices) out += check_partition(partition, steps);
  for (const ExpectedParts& parts : expected.parts) out += check_parts(parts, attribution);
  for (const ExpectedFact& fact : expected.facts) {
    if (fact.what == "broken") continue;
    const std::string found = found_fact(fact, expected.trace, steps, attribution);
    if (found == fact.value) continue;
    out += fact.what + " " + fact.name + ": expected " + fact.value + ", found " + found + "\n";
  }
  return out;
}

}  // namespace stepscope::testing
