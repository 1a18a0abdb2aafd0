// SPDX-License-Identifier: Apache-2.0
#include "core/gate/metric.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/support/words.hpp"

namespace stepscope {
namespace {

constexpr std::string_view kPhase = "phase:";
constexpr std::string_view kCause = "cause:";

std::vector<Metric> make_plain_metrics() {
  std::vector<Metric> out;
  for (const std::string_view name : work_count_names()) {
    const MetricKind kind = name.starts_with("bytes_") ? MetricKind::bytes : MetricKind::count;
    out.push_back({std::string(name), kind});
  }
  for (const char* name : {"step_time", "step_time_p50", "step_time_p90", "device_busy"})
    out.push_back({name, MetricKind::time});
  return out;
}

Error unknown_metric(std::string_view name) {
  std::vector<std::string_view> known;
  for (const Metric& metric : plain_metrics()) known.push_back(metric.name);
  const std::string_view near = nearest(name, known);
  if (!near.empty())
    return usage_error(fmt::format("'{}' is no metric; did you mean '{}'?", name, near));
  return usage_error(fmt::format("'{}' is no metric; there are {}, phase:PATH and cause:NAME", name,
                                 fmt::join(known, ", ")));
}

Result<Metric> cause_metric(std::string_view name) {
  const std::string_view cause = name.substr(kCause.size());
  if (cause_named(cause)) return Metric{std::string(name), MetricKind::time};
  std::vector<std::string_view> known;
  for (std::size_t i = 0; i < kCauseCount; ++i) known.push_back(name_of(static_cast<Cause>(i)));
  const std::string_view near = nearest(cause, known);
  const std::string hint = near.empty() ? "" : fmt::format("; did you mean 'cause:{}'?", near);
  return usage_error(fmt::format("'{}' is no cause{}", cause, hint));
}

bool is_inside(std::string_view path, std::string_view name) {
  const std::string inner = fmt::format("/{}/", name);
  return fmt::format("/{}", path.substr(0, path.rfind('/') + 1)).find(inner) != std::string::npos;
}

// Returns the time of the phase of this path; else of all phases of this name, of which inner ones
// are part of outer ones.
std::optional<std::int64_t> phase_ns(std::string_view wanted, const Summary& run) {
  std::optional<std::int64_t> sum;
  for (const PhaseRow& row : run.phases) {
    if (row.path == wanted) return row.wall_ns_total;
    if (row.name == wanted && !is_inside(row.path, wanted))
      sum = sum.value_or(0) + row.wall_ns_total;
  }
  return sum;
}

std::int64_t cause_ns(std::string_view wanted, const Summary& run) {
  for (const PartSum& part : run.partition.parts)
    if (name_of(part.cause) == wanted) return part.ns_total;
  return 0;
}

std::optional<double> time_of(std::string_view name, const Summary& run) {
  const PartitionSummary& p = run.partition;
  const double steps = static_cast<double>(p.steps_counted);
  if (name == "step_time") return p.wall_ns_per_step();
  if (name == "step_time_p50") return static_cast<double>(p.p50_ns);
  if (name == "step_time_p90") return static_cast<double>(p.p90_ns);
  if (name == "device_busy") return static_cast<double>(p.device_busy_ns_total) / steps;
  if (name.starts_with(kCause))
    return static_cast<double>(cause_ns(name.substr(kCause.size()), run)) / steps;
  const auto phase = phase_ns(name.substr(kPhase.size()), run);
  if (!phase) return std::nullopt;
  return static_cast<double>(*phase) / steps;
}

}  // namespace

std::string_view name_of(MetricKind kind) {
  switch (kind) {
    case MetricKind::count:
      return "count";
    case MetricKind::bytes:
      return "bytes";
    case MetricKind::time:
      break;
  }
  return "time";
}

const std::vector<Metric>& plain_metrics() {
  static const std::vector<Metric> metrics = make_plain_metrics();
  return metrics;
}

Result<Metric> parse_metric(std::string_view name) {
  if (name.starts_with(kPhase) && name.size() > kPhase.size())
    return Metric{std::string(name), MetricKind::time};
  if (name.starts_with(kCause)) return cause_metric(name);
  for (const Metric& metric : plain_metrics())
    if (metric.name == name) return metric;
  return unknown_metric(name);
}

const WorkCount* count_named(std::string_view name, const Summary& run) {
  const auto found = std::find_if(run.counts.begin(), run.counts.end(),
                                  [&](const WorkCount& count) { return count.name == name; });
  return found == run.counts.end() ? nullptr : &*found;
}

std::optional<double> value_of(const Metric& metric, const Summary& run) {
  if (run.partition.steps_counted == 0) return std::nullopt;
  if (metric.is_time()) return time_of(metric.name, run);
  const WorkCount* count = count_named(metric.name, run);
  if (count == nullptr) return std::nullopt;
  return static_cast<double>(count->total) / static_cast<double>(run.partition.steps_counted);
}

}  // namespace stepscope
