// SPDX-License-Identifier: Apache-2.0
#include "core/report/wording/step_scale.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/report/wording/numbers.hpp"

namespace stepscope {

std::string StepScale::time_title() const {
  return std::string(unit.name) + (has_steps ? "/step" : "");
}

StepScale scale_of(const Summary& summary) {
  const PartitionSummary& p = summary.partition;
  StepScale scale{summary, {}};
  scale.steps = static_cast<double>(std::max<std::uint64_t>(1, p.steps_counted));
  scale.wall_ns = p.wall_ns_per_step();
  scale.unit = unit_for_step(scale.wall_ns);
  scale.has_steps = summary.steps.found_by != FoundBy::whole_trace && p.steps_counted > 0;
  scale.has_device = p.device_busy_ns_total > 0;
  return scale;
}

std::string exact_title(std::uint64_t steps) {
  return steps == 1 ? "ns, 1 step" : fmt::format("ns, {} steps", steps);
}

std::string cause_meaning(const StepScale& scale, Cause cause) {
  std::string text(meaning_of(cause));
  if (scale.summary.partition.inflated && is_host(cause)) text += " (inflated)";
  return text;
}

}  // namespace stepscope
