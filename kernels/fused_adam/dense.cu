// SPDX-License-Identifier: Apache-2.0
// A gradient for each parameter: a thread has two fours of a tile of 2048, a warp's accesses are
// contiguous.
#include "kernels/common/cuda_check.hpp"
#include "kernels/fused_adam/adam_update.cuh"

namespace stepscope::kernels {
namespace {

using namespace fused_adam_device;

constexpr int kQuadsOfThread = 2;
constexpr int kQuadsOfTile = kQuadsOfThread * kAdamThreads;
constexpr int kDenseBlocks = 4;

template <class Gradient>
struct DenseParameters {
  AdamState state;
  std::int64_t count;
  Gradient* gradients;
  bool zero_gradients;
  FactorSource factors;
};

template <class Gradient>
__device__ void update_one(const DenseParameters<Gradient>& p, const AdamFactors& factors,
                           std::int64_t i) {
  const float gradient = to_float(p.gradients[i]);
  adam_update(factors, gradient, p.state.parameters[i], p.state.first_moments[i],
              p.state.second_moments[i]);
  if (p.state.copy != nullptr) p.state.copy[i] = to_bfloat16(p.state.parameters[i]);
  if (p.zero_gradients) p.gradients[i] = Gradient{};
}

template <class Gradient>
__global__ void __launch_bounds__(kAdamThreads, kDenseBlocks)
    adam_dense_kernel(DenseParameters<Gradient> p) {
  const AdamFactors& factors = factors_of_step(p.factors);
  const std::int64_t quads = p.count / 4;
  for (std::int64_t tile = std::int64_t{blockIdx.x} * kQuadsOfTile + threadIdx.x; tile < quads;
       tile += std::int64_t{gridDim.x} * kQuadsOfTile) {
    Quad own[kQuadsOfThread];
    float4 gradients[kQuadsOfThread];
#pragma unroll
    for (int i = 0; i < kQuadsOfThread; ++i) {
      const std::int64_t quad = tile + i * kAdamThreads;
      if (quad >= quads) continue;
      own[i].load(p.state, quad);
      gradients[i] = load_four(p.gradients + 4 * quad);
    }
#pragma unroll
    for (int i = 0; i < kQuadsOfThread; ++i) {
      const std::int64_t quad = tile + i * kAdamThreads;
      if (quad >= quads) continue;
      own[i].update(factors, gradients[i]);
      own[i].store(p.state, quad);
      if (p.zero_gradients) store_four(p.gradients + 4 * quad, float4{0, 0, 0, 0});
    }
  }
  if (blockIdx.x == 0 && threadIdx.x < p.count % 4) update_one(p, factors, 4 * quads + threadIdx.x);
}

template <class Gradient>
Status enqueue(const FusedAdam& a, cudaStream_t stream) {
  unsigned blocks = 0;
  const std::int64_t tiles = a.count / 4 / kQuadsOfTile + 1;
  const Status status = resident_blocks(kDenseBlocks, static_cast<std::uint64_t>(tiles), &blocks);
  if (!status.ok()) return status;
  const DenseParameters<Gradient> p{a.state, a.count, static_cast<Gradient*>(a.gradients),
                                    a.zero_gradients, factor_source(a.settings)};
  adam_dense_kernel<Gradient><<<blocks, kAdamThreads, 0, stream>>>(p);
  return cuda_status(cudaGetLastError(), "adam_dense_kernel");
}

}  // namespace

Status fused_adam(const FusedAdam& arguments, CUstream_st* stream) {
  if (Status status = validate(arguments); !status.ok()) return status;
  if (arguments.count == 0) return {};
  if (arguments.gradient_type == KeyType::bfloat16) return enqueue<Bfloat16>(arguments, stream);
  return enqueue<float>(arguments, stream);
}

}  // namespace stepscope::kernels
