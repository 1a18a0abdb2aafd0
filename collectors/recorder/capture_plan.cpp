// SPDX-License-Identifier: Apache-2.0
#include "collectors/recorder/capture_plan.hpp"

namespace stepscope::recorder {

bool wants_capture(const CapturePlan& plan, const CaptureSoFar& so_far) noexcept {
  if (plan.by_trigger && !so_far.triggered) return false;
  if (so_far.steps < plan.after_steps || so_far.ms < plan.after_ms) return false;
  const std::uint64_t steps = so_far.steps - plan.after_steps;
  const std::uint64_t ms = so_far.ms - plan.after_ms;
  if (plan.take_steps != 0 && steps >= plan.take_steps) return false;
  if (plan.take_ms != 0 && ms >= plan.take_ms) return false;
  if (plan.window_on == 0) return true;
  return steps % (plan.window_on + plan.window_off) < plan.window_on;
}

}  // namespace stepscope::recorder
