// SPDX-License-Identifier: Apache-2.0
#include "core/report/wording/step_scale.hpp"

#include <algorithm>

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

}  // namespace stepscope
