// SPDX-License-Identifier: Apache-2.0
#include "core/gate/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace stepscope {
namespace {

constexpr std::size_t kMostCauses = 5;

bool is_kernel(Cause cause) {
  return is_device_busy(cause) && !name_of(cause).starts_with("copy.");
}

// Whether a part is the time of operations that the count counts.
bool speaks_of_count(std::string_view metric, const DeltaPart& part) {
  const Cause cause = part.cause;
  const std::string_view name = name_of(cause);
  if (metric == "kernels" || metric == "launches") return is_kernel(cause);
  if (metric == "graph_launches") return part.op.find("GraphLaunch") != std::string::npos;
  if (metric == "host_syncs")
    return cause == Cause::host_sync_return || part.op.find("Synchronize") != std::string::npos;
  if (metric == "allocations") return cause == Cause::host_alloc;
  if (metric.ends_with("_h2d")) return name.starts_with("copy.h2d");
  if (metric.ends_with("_d2h")) return name == "copy.d2h";
  if (metric.ends_with("_d2d")) return name == "copy.d2d";
  if (metric == "memsets") return name == "copy.set";
  if (metric == "loader_ops" && name != "host.data_wait") return false;
  return !part.op.empty() && !is_device_busy(cause) && !part.op.starts_with("cu");  // operations
}

bool is_in_phase(std::string_view wanted, const std::string& path) {
  if (path == wanted || path.starts_with(std::string(wanted) + "/")) return true;
  return ("/" + path + "/").find("/" + std::string(wanted) + "/") != std::string::npos;
}

bool speaks_of_time(const Metric& metric, const DeltaPart& part) {
  if (metric.is_phase()) return is_in_phase(metric.name.substr(6), part.phase);
  if (metric.name.starts_with("cause:")) return name_of(part.cause) == metric.name.substr(6);
  return metric.name != "device_busy" || is_device_busy(part.cause);
}

// Waiting for a core is one cause, at whatever lines the thread was: it is the machine's, not theirs.
constexpr std::uint32_t kWaitingForACore = ~std::uint32_t{0};

std::uint32_t group_of(const DeltaPart& part) {
  return part.cause == Cause::host_core_wait ? kWaitingForACore : part.group;
}

// The operation of such a part is the one behind it, which is no reason for that time.
bool passes_between_operations(Cause cause) {
  return cause == Cause::host_between_calls || cause == Cause::host_python;
}

// Joins the parts of one match (the count's and a call's).
std::vector<MetricCause> causes_of_time(const Metric& metric, const Comparison& difference) {
  std::map<std::uint32_t, MetricCause> groups;
  for (const DeltaPart& part : difference.parts) {
    if (!speaks_of_time(metric, part)) continue;
    const auto [at, is_new] = groups.try_emplace(group_of(part));
    MetricCause& cause = at->second;
    if (is_new) {
      cause = {part.cause, part.phase, part.file, part.line, part.function, part.op,
               part.kind,  0,          0,         0,         part.direction};
      const double calls = static_cast<double>(part.b_calls) - static_cast<double>(part.a_calls);
      cause.calls_per_step = calls / static_cast<double>(difference.steps);
      if (part.cause == Cause::host_core_wait) cause = {.cause = part.cause};
      if (passes_between_operations(part.cause)) cause.operation.clear(), cause.calls_per_step = 0;
    }
    cause.ns_per_step += difference.per_step(part.delta_ns);
  }
  std::vector<MetricCause> out;
  for (auto& [group, cause] : groups)
    if (cause.ns_per_step > 0) out.push_back(std::move(cause));
  std::stable_sort(out.begin(), out.end(), [](const MetricCause& x, const MetricCause& y) {
    return x.ns_per_step > y.ns_per_step;
  });
  return out;
}

const CountDelta* count_delta(std::string_view name, const Comparison& difference) {
  const auto found = std::find_if(difference.counts.begin(), difference.counts.end(),
                                  [&](const CountDelta& row) { return row.counter == name; });
  return found == difference.counts.end() ? nullptr : &*found;
}

bool is_one_place(const CountLineDelta& row, const CountLineDelta& other) {
  return row.file == other.file && row.line == other.line && row.direction == other.direction;
}

// Adds the cost of the operations of a count at its line: their time, and the cause and phase of
// the largest part of the difference there.
void add_time(std::string_view metric, const Comparison& difference, MetricCause& cause) {
  bool found = false;
  for (const DeltaPart& part : difference.parts) {  // largest first
    if (part.file != cause.file || part.line != cause.line || part.direction != cause.direction ||
        !speaks_of_count(metric, part))
      continue;
    if (!found) cause.cause = part.cause, cause.phase = part.phase;
    found = true;
    cause.ns_per_step += difference.per_step(part.delta_ns);
  }
}

// Bytes and their copies are two counts: the calls of a line's bytes are its copies.
double calls_of(const Metric& metric, const CountLineDelta& row, const Comparison& difference) {
  if (metric.kind != MetricKind::bytes) return row.delta();
  const CountDelta* copies = count_delta("copies" + metric.name.substr(5), difference);
  if (copies == nullptr) return 0;
  for (const CountLineDelta& other : copies->lines)
    if (is_one_place(row, other)) return other.delta();
  return 0;
}

// Returns the phases of the work as its causes where no line is known (C++ without --native-lines):
// the calls that each phase has more of, as far as they own time.
std::vector<MetricCause> causes_by_phase(std::string_view metric, const Comparison& difference) {
  std::map<std::string, MetricCause> phases;
  std::set<std::uint32_t> counted;
  for (const DeltaPart& part : difference.parts) {  // largest first
    if (!part.file.empty() || !speaks_of_count(metric, part)) continue;
    const auto [at, is_new] = phases.try_emplace(part.phase);
    MetricCause& cause = at->second;
    if (is_new)
      cause.cause = part.cause, cause.phase = part.phase, cause.operation = part.op,
      cause.kind = part.kind;
    cause.ns_per_step += difference.per_step(part.delta_ns);
    if (!counted.insert(part.group).second) continue;
    const double calls = static_cast<double>(part.b_calls) - static_cast<double>(part.a_calls);
    cause.calls_per_step += calls / static_cast<double>(difference.steps);
  }
  std::vector<MetricCause> out;
  for (auto& [phase, cause] : phases)
    if (cause.calls_per_step > 0) out.push_back(std::move(cause));
  return out;
}

std::vector<MetricCause> causes_of_count(const Metric& metric, const Comparison& difference) {
  std::vector<MetricCause> out;
  const CountDelta* count = count_delta(metric.name, difference);
  if (count == nullptr) return out;
  for (const CountLineDelta& row : count->lines) {  // largest first
    if (row.delta() <= 0) continue;
    if (row.file.empty() && metric.kind != MetricKind::bytes) {
      const std::vector<MetricCause> phases = causes_by_phase(metric.name, difference);
      out.insert(out.end(), phases.begin(), phases.end());
      if (!phases.empty()) continue;
    }
    MetricCause& cause = out.emplace_back();
    cause.file = row.file;
    cause.line = row.line;
    cause.function = row.function;
    cause.direction = row.direction;
    cause.operation = row.operations.size() == 1
                          ? row.operations.front()
                          : fmt::format("{} operations", row.operations.size());
    cause.kind = row.a_per_step > 0 ? DeltaKind::count : DeltaKind::added;
    cause.calls_per_step = calls_of(metric, row, difference);
    if (metric.kind == MetricKind::bytes) cause.bytes_per_step = row.delta();
    add_time(metric.name, difference, cause);
  }
  const auto rise = [&](const MetricCause& cause) {
    return metric.kind == MetricKind::bytes ? cause.bytes_per_step : cause.calls_per_step;
  };
  std::stable_sort(out.begin(), out.end(),
                   [&](const MetricCause& x, const MetricCause& y) { return rise(x) > rise(y); });
  return out;
}

}  // namespace

std::vector<MetricCause> causes_of(const Metric& metric, const Comparison& difference) {
  if (difference.steps == 0) return {};
  std::vector<MetricCause> out =
      metric.is_time() ? causes_of_time(metric, difference) : causes_of_count(metric, difference);
  if (out.size() > kMostCauses) out.resize(kMostCauses);
  return out;
}

}  // namespace stepscope
