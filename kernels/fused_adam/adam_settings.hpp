// SPDX-License-Identifier: Apache-2.0
// Adam's settings, and the numbers that one step's update multiplies by: one function that host and
// device compile, so that both step counts, on the host and in device memory, give the same bits (a
// product that is subtracted from is an explicit fma, which no compiler contracts differently).
//
// The update is torch.optim.Adam's and AdamW's: moments are corrected for their start at 0, epsilon
// is added outside the square root.
//   added to the gradient: gradient += weight_decay * parameter
//   decoupled:             parameter *= 1 - learning_rate * weight_decay
//   first = beta1 first + (1 - beta1) gradient,  second = beta2 second + (1 - beta2) gradient^2
//   parameter -= learning_rate / (1 - beta1^step) * first / (sqrt(second / (1 - beta2^step)) +
//   epsilon)
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/common/host_device.hpp"

namespace stepscope::kernels {

enum class WeightDecay { added_to_gradient, decoupled };

struct AdamSettings {
  double learning_rate = 1e-3, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  double weight_decay = 0;
  WeightDecay decay = WeightDecay::added_to_gradient;
  std::int64_t step = 1;  // this update's step: the first is 1
  // Optional, in device memory: read by the call's kernel instead of `step`, so that a captured
  // graph counts on.
  const std::int64_t* device_step = nullptr;
};

struct AdamFactors {
  float to_first = 0, to_second = 0, beta2 = 0;
  float step_size = 0, second_scale = 0, epsilon = 0;
  float gradient_decay = 0, shrink = 1;
};

STEPSCOPE_HOST_DEVICE constexpr double integer_power(double base, std::int64_t exponent) {
  double power = 1;
  for (; exponent > 0; exponent /= 2, base *= base)
    if (exponent % 2 != 0) power *= base;
  return power;
}

STEPSCOPE_HOST_DEVICE inline AdamFactors adam_factors(const AdamSettings& settings,
                                                      std::int64_t step) {
  const bool decoupled = settings.decay == WeightDecay::decoupled;
  AdamFactors factors;
  factors.to_first = static_cast<float>(1 - settings.beta1);
  factors.to_second = static_cast<float>(1 - settings.beta2);
  factors.beta2 = static_cast<float>(settings.beta2);
  factors.step_size =
      static_cast<float>(settings.learning_rate / (1 - integer_power(settings.beta1, step)));
  factors.second_scale = static_cast<float>(1 / sqrt(1 - integer_power(settings.beta2, step)));
  factors.epsilon = static_cast<float>(settings.epsilon);
  factors.gradient_decay = decoupled ? 0.0F : static_cast<float>(settings.weight_decay);
  factors.shrink =
      decoupled ? static_cast<float>(fma(-settings.learning_rate, settings.weight_decay, 1.0))
                : 1.0F;
  return factors;
}

}  // namespace stepscope::kernels
