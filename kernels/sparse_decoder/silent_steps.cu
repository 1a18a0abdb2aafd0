// SPDX-License-Identifier: Apache-2.0
// A thread a column.
#include <algorithm>

#include "kernels/common/cuda_check.hpp"
#include "kernels/sparse_decoder/silent_steps.hpp"

namespace stepscope::kernels {
namespace {

constexpr int kSilentThreads = 128;
constexpr std::int64_t kMostBlocks = 4096;

__global__ void __launch_bounds__(kSilentThreads) silent_steps_kernel(const SilentSteps p) {
  const auto* const values = static_cast<const float*>(p.by_column.values);
  const std::int64_t stride = std::int64_t{gridDim.x} * kSilentThreads;
  for (std::int64_t column = std::int64_t{blockIdx.x} * kSilentThreads + threadIdx.x;
       column < p.columns; column += stride) {
    const std::int64_t end = min(p.by_column.offsets[column + 1], p.by_column.capacity);
    bool fires = false;
    for (std::int64_t i = p.by_column.offsets[column]; i < end && !fires; ++i)
      fires = values[i] > p.threshold;
    p.steps[column] = fires ? 0 : p.steps[column] + 1;
  }
}

}  // namespace

Status count_silent_steps(const SilentSteps& arguments, CUstream_st* stream) {
  if (Status status = validate(arguments); !status.ok()) return status;
  if (arguments.columns == 0) return {};
  const std::int64_t blocks = (arguments.columns + kSilentThreads - 1) / kSilentThreads;
  silent_steps_kernel<<<static_cast<unsigned>(std::min(blocks, kMostBlocks)), kSilentThreads, 0,
                        stream>>>(arguments);
  return cuda_status(cudaGetLastError(), "silent_steps_kernel");
}

}  // namespace stepscope::kernels
