// SPDX-License-Identifier: Apache-2.0
// One tensor's new scale, on both sides.
#pragma once

#include "kernels/common/host_device.hpp"
#include "kernels/fp8/fp8.hpp"

namespace stepscope::kernels {

STEPSCOPE_HOST_DEVICE inline void update_scale(const Fp8ScaleUpdate& p, std::int64_t tensor) {
  const float newest = p.amax[tensor];
  const bool finite = bits_of(newest) < kFp8Infinity;
  p.amax[tensor] = 0;
  float most = finite ? newest : 0;
  if (p.length > 0) {
    const std::int64_t last = p.length - 1;
    for (std::int64_t i = last; i >= 0; --i) {
      float* own = p.history + i * p.tensors + tensor;
      if (finite && i > 0) *own = *(own - p.tensors);
      if (finite && i == 0) *own = newest;
      most = *own > most ? *own : most;
    }
  }
  const float scale = fp8_scale(most, p.greatest[tensor]);
  p.scale[tensor] = scale;
  p.inverse[tensor * p.inverse_stride] = 1 / scale;
}

}  // namespace stepscope::kernels
