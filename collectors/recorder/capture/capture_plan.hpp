// SPDX-License-Identifier: Apache-2.0
// When events are taken, as the user planned it: after some steps or time, for some steps or time,
// in windows of steps, or from a trigger on. Pure: from what has happened so far to yes or no.
#pragma once

#include <cstdint>

namespace stepscope::recorder {

struct CapturePlan {
  std::uint64_t after_steps = 0;
  std::uint64_t after_ms = 0;
  std::uint64_t take_steps = 0;  // 0: to the end
  std::uint64_t take_ms = 0;     // 0: to the end
  std::uint32_t window_on = 0;   // steps; 0: no windows
  std::uint32_t window_off = 0;
  bool by_trigger = false;  // a range, cudaProfilerStart or a signal begins and ends it

  bool is_set() const noexcept {
    return after_steps != 0 || after_ms != 0 || take_steps != 0 || take_ms != 0 || window_on != 0 ||
           by_trigger;
  }
};

struct Passed {
  std::uint64_t steps = 0;
  std::uint64_t ms = 0;
};

// Whether the first capture may begin; `passed` counts since the start of the process.
bool has_begun(const CapturePlan& plan, Passed passed) noexcept;
// Whether all that was to be recorded is; `passed` counts since the capture began, or since the
// trigger.
bool is_over(const CapturePlan& plan, Passed passed) noexcept;
// Whether this step is in a window; `passed` counts since the capture began, and it is not over.
bool is_in_window(const CapturePlan& plan, Passed passed) noexcept;

}  // namespace stepscope::recorder
