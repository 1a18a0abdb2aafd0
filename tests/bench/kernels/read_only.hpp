// SPDX-License-Identifier: Apache-2.0
// Kernels that read memory and do nothing else: what the device gives, for others to be judged by.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kernels/common/launch.cuh"

namespace stepscope::kernels {

struct ReadOnlyKernel {
  std::string name;
  // Bulk copies are Hopper's and newer GPUs', and take much shared memory.
  bool (*runs_on)(const DeviceLimits& device);
  // bytes must be a multiple of 16384; sink is one word that is not written in practice.
  void (*enqueue)(const void* memory, std::size_t bytes, unsigned* sink, const DeviceLimits& device,
                  cudaStream_t stream);
};

std::vector<ReadOnlyKernel> read_only_kernels();
// Four of them: the first strip first or the last one, and what is read has no hint for the L2 or
// leaves it first. Behind what wrote the memory these differ by a quarter.
std::vector<ReadOnlyKernel> strips_read_kernels();

}  // namespace stepscope::kernels
