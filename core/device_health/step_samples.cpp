// SPDX-License-Identifier: Apache-2.0
#include "core/device_health/step_samples.hpp"

namespace stepscope {

std::vector<double> values_of(const std::vector<StepSample>& samples) {
  std::vector<double> values;
  for (const StepSample& sample : samples) values.push_back(sample.value);
  return values;
}

std::vector<StepSample> CountedSteps::of(const std::vector<DeviceSample>& samples) const {
  std::vector<StepSample> out;
  auto row = rows_.begin();
  for (const DeviceSample& sample : samples) {
    while (row != rows_.end() && window(*row).end <= sample.time) ++row;
    if (row == rows_.end()) break;
    if (window(*row).contains(sample.time)) out.push_back({*row, sample.value});
  }
  return out;
}

Interval CountedSteps::span() const {
  if (rows_.empty()) return {};
  return {window(rows_.front()).begin, window(rows_.back()).end};
}

}  // namespace stepscope
