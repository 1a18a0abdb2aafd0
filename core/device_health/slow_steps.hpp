// SPDX-License-Identifier: Apache-2.0
// Whether the slow steps had other clocks than the rest.
//
// Said where, of at least 16 steps with a sample, the slowest quarter took 3 % longer than the rest
// (medians), their clocks lie 2 % apart, and ranks tell them apart by 2.5 standard deviations.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/device_health/step_samples.hpp"

namespace stepscope {

struct SlowSteps {
  std::uint64_t steps = 0;  // the slowest quarter of those with a sample
  double clock_ratio = 1;   // their median clock over that of the others
};

// `samples`: of the SM clock.
std::optional<SlowSteps> slow_steps(const CountedSteps& counted,
                                    const std::vector<StepSample>& samples);

}  // namespace stepscope
