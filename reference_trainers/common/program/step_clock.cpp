// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/common/program/step_clock.hpp"

#include <fmt/format.h>

#include <cmath>

#include "reference_trainers/common/device.hpp"

namespace stepscope::trainers {

StepClock::StepClock(at::Device device, std::int64_t first, std::int64_t last, std::int64_t warm_up)
    : device_(device),
      timed_from_(first + (warm_up < last - first ? warm_up : 0)),
      last_(last),
      begin_(Clock::now()) {}

void StepClock::before_step(std::int64_t index) {
  if (index != timed_from_) return;
  synchronize(device_);
  begin_ = Clock::now();
}

TimedSteps StepClock::so_far(std::int64_t made) const {
  if (made <= timed_from_) return {};
  return {made - timed_from_, seconds()};
}

TimedSteps StepClock::finish() const {
  synchronize(device_);
  return so_far(last_);
}

std::string time_left(double seconds) {
  const auto all = static_cast<std::int64_t>(std::ceil(seconds));
  if (all < 60) return fmt::format("{} s left", all);
  const std::int64_t hours = all / 3600, minutes = all / 60 % 60;
  return hours > 0 ? fmt::format("{} h {:02} min left", hours, minutes)
                   : fmt::format("{} min {:02} s left", minutes, all % 60);
}

}  // namespace stepscope::trainers
