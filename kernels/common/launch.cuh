// SPDX-License-Identifier: Apache-2.0
// Launches of kernels that take one parameter struct.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "kernels/common/cuda_check.hpp"

namespace stepscope::kernels {

struct DeviceLimits {
  int multiprocessors = 0;
  std::size_t block_shared_bytes = 0;  // shared memory that a block can have: 99 KB or more
  bool dependent_launch = false;       // Hopper and newer

  static cudaError_t of_current(DeviceLimits* limits) {
    int device = 0;
    int major = 0;
    cudaError_t code = cudaGetDevice(&device);
    if (code == cudaSuccess)
      code =
          cudaDeviceGetAttribute(&limits->multiprocessors, cudaDevAttrMultiProcessorCount, device);
    if (code == cudaSuccess)
      code = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    int shared = 0;
    if (code == cudaSuccess)
      code = cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    limits->block_shared_bytes = static_cast<std::size_t>(shared);
    limits->dependent_launch = major >= 9;
    return code;
  }
};

struct Launch {
  unsigned blocks;
  int threads;
  std::size_t dynamic_bytes;
  cudaStream_t stream;
  DeviceLimits device;
  // A multiprocessor divides its memory into shared memory and L1 cache one way at a time, so
  // kernels that are to run beside each other there must ask for the same.
  bool most_shared = false;

  // Starts when all work before it in the stream is done.
  template <class Parameters>
  cudaError_t after_all(void (*kernel)(Parameters), const Parameters& parameters) const {
    return launch(kernel, parameters, false);
  }
  // May start when all blocks of the kernel before it have called let_next_grid_start().
  template <class Parameters>
  cudaError_t overlapping(void (*kernel)(Parameters), const Parameters& parameters) const {
    return launch(kernel, parameters, device.dependent_launch);
  }

 private:
  template <class Parameters>
  cudaError_t launch(void (*kernel)(Parameters), const Parameters& parameters,
                     bool overlapping) const {
    cudaError_t code = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            static_cast<int>(dynamic_bytes));
    if (code == cudaSuccess && most_shared)
      code = cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                  cudaSharedmemCarveoutMaxShared);
    if (code != cudaSuccess) return code;
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(static_cast<unsigned>(threads));
    config.dynamicSmemBytes = dynamic_bytes;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = overlapping ? 1 : 0;
    return cudaLaunchKernelEx(&config, kernel, parameters);
  }
};

}  // namespace stepscope::kernels
