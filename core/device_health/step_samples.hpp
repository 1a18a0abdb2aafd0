// SPDX-License-Identifier: Apache-2.0
// Which counted step each sample lies in.
#pragma once

#include <cstdint>
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

}  // namespace stepscope
