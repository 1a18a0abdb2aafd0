// SPDX-License-Identifier: Apache-2.0
// The metrics that can be gated, by name, and their values in a run: always a step's share, of the
// counted steps.
//
//   kernels, launches, host_syncs, bytes_h2d, ...   the counts of core/summary/work_counts
//   step_time                                       mean of all counted steps: the throughput
//   step_time_p50, step_time_p90                    quantiles over single steps
//   device_busy                                     time in which the device works
//   phase:PATH, cause:NAME                          time that a phase or a cause owns
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/summary/summary.hpp"

namespace stepscope {

enum class MetricKind : std::uint8_t { count, bytes, time };
std::string_view name_of(MetricKind kind);

struct Metric {
  std::string name;
  MetricKind kind = MetricKind::time;

  bool is_time() const { return kind == MetricKind::time; }
  bool is_phase() const { return name.starts_with("phase:"); }
};

// The names that stand for themselves: counts, then times. Phases and causes come with their
// prefix.
const std::vector<Metric>& plain_metrics();

// Errors: usage, with the nearest name. Whether the runs have a phase is checked later.
Result<Metric> parse_metric(std::string_view name);

// Nothing: the run does not have it (a count that was not recorded, a phase that never ran).
std::optional<double> value_of(const Metric& metric, const Summary& run);

const WorkCount* count_named(std::string_view name, const Summary& run);

}  // namespace stepscope
