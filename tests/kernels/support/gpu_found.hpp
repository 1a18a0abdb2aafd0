// SPDX-License-Identifier: Apache-2.0
// Tests of kernels skip where there is no GPU.
#pragma once

#include <cuda_runtime_api.h>

namespace stepscope::kernels {

inline bool gpu_found() {
  int devices = 0;
  return cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
}

}  // namespace stepscope::kernels
