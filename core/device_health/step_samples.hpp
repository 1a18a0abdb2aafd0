// SPDX-License-Identifier: Apache-2.0
// Which counted step each sample lies in.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/device_health/device_samples.hpp"
#include "core/steps/steps.hpp"

namespace stepscope {

struct StepSample {
  std::uint32_t row;  // row of Steps::list
  double value;
};

std::vector<double> values_of(const std::vector<StepSample>& samples);

// A view: steps and rows must outlive it.
class CountedSteps {
 public:
  // `rows` of steps.list, in order.
  CountedSteps(const Steps& steps, const std::vector<std::uint32_t>& rows)
      : steps_(steps), rows_(rows) {}

  // Samples outside every counted step are left out.
  std::vector<StepSample> of(const std::vector<DeviceSample>& samples) const;
  Interval window(std::uint32_t row) const { return steps_.list[row].window; }
  Interval span() const;  // from the first to the last

 private:
  const Steps& steps_;
  const std::vector<std::uint32_t>& rows_;
};

// Whether the slow steps had other clocks than the rest.
//
// Said where, of at least 16 steps with a sample, the slowest quarter took 3 % longer than the rest
// (medians), their clocks lie 2 % apart, and ranks tell them apart by 2.5 standard deviations.

struct SlowSteps {
  std::uint64_t steps = 0;  // the slowest quarter of those with a sample
  double clock_ratio = 1;   // their median clock over that of the others
};

// `samples`: of the SM clock.
std::optional<SlowSteps> slow_steps(const CountedSteps& counted,
                                    const std::vector<StepSample>& samples);

}  // namespace stepscope
