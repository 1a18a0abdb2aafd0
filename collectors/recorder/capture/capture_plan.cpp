// SPDX-License-Identifier: Apache-2.0
#include "collectors/recorder/capture/capture_plan.hpp"

namespace stepscope::recorder {

bool has_begun(const CapturePlan& plan, Passed passed) noexcept {
  return passed.steps >= plan.after_steps && passed.ms >= plan.after_ms;
}

bool is_over(const CapturePlan& plan, Passed passed) noexcept {
  return (plan.take_steps != 0 && passed.steps >= plan.take_steps) ||
         (plan.take_ms != 0 && passed.ms >= plan.take_ms);
}

bool is_in_window(const CapturePlan& plan, Passed passed) noexcept {
  if (plan.window_on == 0) return true;
  return passed.steps % (plan.window_on + plan.window_off) < plan.window_on;
}

}  // namespace stepscope::recorder
