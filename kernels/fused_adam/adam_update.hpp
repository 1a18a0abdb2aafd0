// SPDX-License-Identifier: Apache-2.0
// The update of one parameter, for kernels and for references that give their bits. Every sum of a
// product is an explicit fma, so that no compiler rounds it differently.
#pragma once

#include <cmath>

#include "kernels/common/host_device.hpp"
#include "kernels/fused_adam/adam_settings.hpp"

namespace stepscope::kernels {

STEPSCOPE_HOST_DEVICE inline void adam_moments(const AdamFactors& f, float gradient,
                                               float parameter, float& first, float& second) {
  gradient = fmaf(f.gradient_decay, parameter, gradient);
  first = fmaf(f.to_first, gradient - first, first);
  second = fmaf(f.to_second, gradient * gradient, f.beta2 * second);
}

STEPSCOPE_HOST_DEVICE inline void adam_update(const AdamFactors& f, float gradient,
                                              float& parameter, float& first, float& second) {
  adam_moments(f, gradient, parameter, first, second);
  const float root = fmaf(sqrtf(second), f.second_scale, f.epsilon);
  parameter = fmaf(-f.step_size, first / root, parameter * f.shrink);
}

}  // namespace stepscope::kernels
