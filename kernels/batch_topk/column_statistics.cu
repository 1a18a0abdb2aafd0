// SPDX-License-Identifier: Apache-2.0
#include "kernels/batch_topk/column_statistics.hpp"

#include "kernels/batch_topk/launch.cuh"
#include "kernels/batch_topk/workspace.hpp"

namespace stepscope::kernels {
namespace {

using namespace batch_topk_device;

constexpr int kMergeThreads = 256;

__global__ void __launch_bounds__(kMergeThreads)
    merge_kernel(const __grid_constant__ Parameters p) {
  wait_for_grid_before();
  const std::uint32_t column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column < p.shape.columns) merge_parts(p, column);
}

template <class T>
Status launch(const Parameters& p, bool aligned, const DeviceLimits& device, cudaStream_t stream) {
  if (Status s = aligned ? launch_statistics<T, true>(p, false, device, stream)
                         : launch_statistics<T, false>(p, false, device, stream);
      !s.ok() || p.part_shares == 1)
    return s;
  const Launch merge{p.shape.columns / kMergeThreads + 1, kMergeThreads, 0, stream, device, true};
  return cuda_status(merge.overlapping(merge_kernel, p), "merge_kernel");
}

Parameters parameters_of(const BatchTopkArguments& arguments) {
  Parameters p{};
  p.keys = arguments.keys;
  p.shape.rows = static_cast<std::uint32_t>(arguments.rows);
  p.shape.columns = static_cast<std::uint32_t>(arguments.columns);
  p.mean = arguments.column_keys.mean;
  p.scale = arguments.column_keys.scale;
  p.epsilon = arguments.column_keys.epsilon;
  p.statistics = reinterpret_cast<float2*>(static_cast<std::byte*>(arguments.workspace) +
                                           workspace_of(arguments).statistics);
  return p;
}

// Checks the arguments without batch_topk's outputs, which are not needed here.
Status check(const BatchTopkArguments& arguments) {
  if (arguments.column_keys.source != KeySource::z_score)
    return Status::bad_argument("column_keys.source", "must be z_score");
  BatchTopkArguments filled = arguments;
  filled.mask = reinterpret_cast<std::uint32_t*>(arguments.workspace);
  filled.result = reinterpret_cast<BatchTopkResult*>(arguments.workspace);
  return validate(filled);
}

}  // namespace

Status column_statistics(const BatchTopkArguments& arguments, CUstream_st* stream) {
  if (Status status = check(arguments); !status.ok()) return status;
  if (arguments.rows == 0 || arguments.columns == 0) return {};
  DeviceLimits device;
  if (Status s = cuda_status(DeviceLimits::of_current(&device), "cudaDeviceGetAttribute"); !s.ok())
    return s;
  Parameters p = parameters_of(arguments);
  p.part_shares = part_shares(p.shape, device);
  const auto row_bytes = static_cast<std::size_t>(arguments.columns) * bytes_of(arguments.key_type);
  const bool aligned =
      reinterpret_cast<std::uintptr_t>(arguments.keys) % 16 == 0 && row_bytes % 16 == 0;
  switch (arguments.key_type) {
    case KeyType::bfloat16:
      return launch<Bfloat16>(p, aligned, device, stream);
    case KeyType::float16:
      return launch<Float16>(p, aligned, device, stream);
    case KeyType::float32:
      break;
  }
  return launch<float>(p, aligned, device, stream);
}

}  // namespace stepscope::kernels
