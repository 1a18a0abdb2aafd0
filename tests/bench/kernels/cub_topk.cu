// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/kernels/cub_topk.hpp"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <thrust/iterator/counting_iterator.h>

#include <cub/device/device_topk.cuh>
#include <cuda/std/execution>

#include "kernels/common/cuda_check.hpp"

namespace stepscope::kernels {
namespace {

template <class Key>
void top_pairs(const CubTopkArguments& arguments, std::size_t& bytes, void* workspace,
               cudaStream_t stream) {
  const auto unordered = cuda::execution::require(cuda::execution::determinism::not_guaranteed,
                                                  cuda::execution::output_ordering::unsorted);
  const auto environment = cuda::std::execution::env{cuda::stream_ref{stream}, unordered};
  cuda_check(cub::DeviceTopK::MaxPairs(
                 workspace, bytes, static_cast<const Key*>(arguments.keys),
                 static_cast<Key*>(arguments.keys_out), thrust::counting_iterator<std::uint32_t>(0),
                 arguments.indices_out, static_cast<std::uint32_t>(arguments.entries),
                 static_cast<std::uint32_t>(arguments.count), environment),
             "cub::DeviceTopK::MaxPairs");
}

void select(const CubTopkArguments& arguments, std::size_t& bytes, void* workspace,
            cudaStream_t stream) {
  switch (arguments.key_type) {
    case KeyType::bfloat16:
      return top_pairs<__nv_bfloat16>(arguments, bytes, workspace, stream);
    case KeyType::float16:
      return top_pairs<__half>(arguments, bytes, workspace, stream);
    case KeyType::float32:
      return top_pairs<float>(arguments, bytes, workspace, stream);
  }
}

__global__ void scatter_kernel(const std::uint32_t* indices, std::int64_t count,
                               std::uint32_t* mask) {
  const std::int64_t i = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x;
  if (i < count) atomicOr(mask + indices[i] / 32, 1U << (indices[i] % 32));
}

}  // namespace

std::size_t cub_topk_workspace_bytes(const CubTopkArguments& arguments) {
  std::size_t bytes = 0;
  select(arguments, bytes, nullptr, nullptr);
  return bytes;
}

void cub_topk(const CubTopkArguments& arguments, CUstream_st* stream) {
  std::size_t bytes = arguments.workspace_bytes;
  select(arguments, bytes, arguments.workspace, stream);
  cuda_check(
      cudaMemsetAsync(arguments.mask, 0, static_cast<std::size_t>(arguments.entries / 8), stream),
      "cudaMemsetAsync");
  scatter_kernel<<<static_cast<unsigned>((arguments.count + 255) / 256), 256, 0, stream>>>(
      arguments.indices_out, arguments.count, arguments.mask);
  cuda_check(cudaGetLastError(), "scatter_kernel");
}

}  // namespace stepscope::kernels
