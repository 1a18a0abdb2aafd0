// SPDX-License-Identifier: Apache-2.0
// Times the steps of a run behind its warm-up; all of them where there are no more.
#pragma once

#include <c10/core/Device.h>

#include <chrono>
#include <cstdint>
#include <string>

namespace stepscope::trainers {

struct TimedSteps {
  std::int64_t steps = 0;
  double seconds = 0;

  double ms_per_step() const { return steps > 0 ? 1e3 * seconds / static_cast<double>(steps) : 0; }
  // The rate of work of which a step does so much.
  double rate(double a_step) const {
    return seconds > 0 ? static_cast<double>(steps) * a_step / seconds : 0;
  }
};

class StepClock {
 public:
  // Measures steps first .. last - 1.
  StepClock(at::Device device, std::int64_t first, std::int64_t last, std::int64_t warm_up);

  void before_step(std::int64_t index);
  bool times(std::int64_t index) const { return index >= timed_from_; }
  // Returns the times so far, without waiting for the device.
  TimedSteps so_far(std::int64_t made) const;
  // Waits for the device.
  TimedSteps finish() const;

 private:
  using Clock = std::chrono::steady_clock;
  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

  at::Device device_;
  std::int64_t timed_from_, last_;
  Clock::time_point begin_;
};

// "12 s left", "3 min 05 s left", "3 h 05 min left"
std::string time_left(double seconds);

}  // namespace stepscope::trainers
