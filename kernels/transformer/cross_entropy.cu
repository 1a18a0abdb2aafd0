// SPDX-License-Identifier: Apache-2.0
// A block a row: one read for the greatest logit and the sum of exponentials (rescaled where a
// greater one comes), one read and write that makes the gradient of it.
#include "kernels/common/cuda_check.hpp"
#include "kernels/transformer/transformer.hpp"
#include "kernels/transformer/vectors.cuh"

namespace stepscope::kernels {
namespace {

using namespace transformer_device;

constexpr int kLossThreads = 512, kLossWarps = kLossThreads / kWarp;

// sum of exp(x - greatest) over what was seen.
struct Exponentials {
  float greatest = -INFINITY, sum = 0;

  __device__ void add(const Exponentials& other) {
    const float top = fmaxf(greatest, other.greatest);
    if (top == -INFINITY) return;
    sum = sum * __expf(greatest - top) + other.sum * __expf(other.greatest - top);
    greatest = top;
  }
};

// Combines the whole block's; every thread gets the result.
__device__ Exponentials over_block(Exponentials own) {
  __shared__ float greatest[kLossWarps], sum[kLossWarps];
#pragma unroll
  for (int offset = kWarp / 2; offset > 0; offset /= 2)
    own.add({__shfl_xor_sync(0xffffffffU, own.greatest, offset),
             __shfl_xor_sync(0xffffffffU, own.sum, offset)});
  if (threadIdx.x % kWarp == 0) {
    greatest[threadIdx.x / kWarp] = own.greatest;
    sum[threadIdx.x / kWarp] = own.sum;
  }
  __syncthreads();
  Exponentials all;
  for (int warp = 0; warp < kLossWarps; ++warp) all.add({greatest[warp], sum[warp]});
  return all;
}

template <class T, int kVector>
__global__ void __launch_bounds__(kLossThreads) cross_entropy_kernel(CrossEntropy p) {
  T* logits = static_cast<T*>(p.logits) + std::int64_t{blockIdx.x} * p.width;
  const std::int64_t target = p.targets[blockIdx.x];
  const std::int64_t step = std::int64_t{kLossThreads} * kVector;
  const std::int64_t first = std::int64_t{threadIdx.x} * kVector;
  Exponentials own;
  for (std::int64_t at = first; at < p.width; at += step) {
    float x[kVector];
    load_vector<kVector>(logits + at, x);
    Exponentials few;
#pragma unroll
    for (int v = 0; v < kVector; ++v) few.greatest = fmaxf(few.greatest, x[v]);
#pragma unroll
    for (int v = 0; v < kVector; ++v) few.sum += __expf(x[v] - few.greatest);
    own.add(few);
  }
  const float at_target = to_float(logits[target]);  // before any thread writes
  const Exponentials all = over_block(own);
  if (threadIdx.x == 0) p.losses[blockIdx.x] = logf(all.sum) + all.greatest - at_target;
  if (p.gradient_scale == 0) return;
  const float scale = p.gradient_scale / all.sum;
  for (std::int64_t at = first; at < p.width; at += step) {
    float x[kVector];
    load_vector<kVector>(logits + at, x);
#pragma unroll
    for (int v = 0; v < kVector; ++v) {
      x[v] = scale * __expf(x[v] - all.greatest);
      if (at + v == target) x[v] -= p.gradient_scale;
    }
    store_vector<kVector>(logits + at, x);
  }
}

template <class T, int kVector>
Status launch_loss(const CrossEntropy& p, cudaStream_t stream) {
  cross_entropy_kernel<T, kVector><<<static_cast<unsigned>(p.rows), kLossThreads, 0, stream>>>(p);
  return cuda_status(cudaGetLastError(), "cross_entropy_kernel");
}

template <class T>
Status cross_entropy_of(const CrossEntropy& p, cudaStream_t stream) {
  return fits_vectors<T>(p.width) ? launch_loss<T, kNumbersOf16Bytes<T>>(p, stream)
                                  : launch_loss<T, 1>(p, stream);
}

}  // namespace

Status cross_entropy(const CrossEntropy& arguments, CUstream_st* stream) {
  if (arguments.rows == 0) return {};
  return arguments.type == KeyType::bfloat16 ? cross_entropy_of<Bfloat16>(arguments, stream)
                                             : cross_entropy_of<float>(arguments, stream);
}

}  // namespace stepscope::kernels
