// SPDX-License-Identifier: Apache-2.0
// One parameter's update, on both sides.
#pragma once

#include <cmath>

#include "kernels/adamw_8bit/adamw_8bit.hpp"
#include "kernels/common/host_device.hpp"

namespace stepscope::kernels {

struct Adamw8BitFactors {
  float rate, keeps, per_mean, per_square, divisor;  // keeps: 1 - rate * decay
};

STEPSCOPE_HOST_DEVICE inline Adamw8BitFactors factors_of(const Adamw8Bit& p) {
  const float rate = *p.rate, t = *p.step;
  return {rate, 1 - rate * p.weight_decay, 1 / (1 - powf(p.beta1, t)), 1 / (1 - powf(p.beta2, t)),
          p.divisor == nullptr ? 1 : *p.divisor};
}

STEPSCOPE_HOST_DEVICE inline void update_one(const Adamw8Bit& p, const Adamw8BitFactors& f,
                                             float gradient, float& parameter, float& mean,
                                             float& square) {
  const float g = gradient / f.divisor;
  mean = p.beta1 * mean + (1 - p.beta1) * g;
  square = p.beta2 * square + (1 - p.beta2) * g * g;
  const float deviation = sqrtf(square * f.per_square) + p.epsilon;
  parameter = parameter * f.keeps - f.rate * (mean * f.per_mean) / deviation;
}

}  // namespace stepscope::kernels
