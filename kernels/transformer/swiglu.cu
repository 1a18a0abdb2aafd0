// SPDX-License-Identifier: Apache-2.0
// A block a row; a thread has 16 bytes of gate and up at a time, or one number of each where rows
// do not divide so.
#include "kernels/common/cuda_check.hpp"
#include "kernels/transformer/transformer.hpp"
#include "kernels/transformer/vectors.cuh"

namespace stepscope::kernels {
namespace {

using namespace transformer_device;

constexpr int kSwigluThreads = 256;

__device__ float sigmoid(float x) {
  return 1 / (1 + __expf(-x));
}

template <class T, int kVector>
__global__ void __launch_bounds__(kSwigluThreads) swiglu_kernel(Swiglu p) {
  const std::int64_t row = blockIdx.x;
  const T* packed = static_cast<const T*>(p.packed) + row * 2 * p.width;
  T* out = static_cast<T*>(p.out) + row * p.width;
  for (std::int64_t at = std::int64_t{threadIdx.x} * kVector; at < p.width;
       at += kSwigluThreads * kVector) {
    float gate[kVector], up[kVector];
    load_vector<kVector>(packed + at, gate);
    load_vector<kVector>(packed + p.width + at, up);
#pragma unroll
    for (int v = 0; v < kVector; ++v) up[v] *= gate[v] * sigmoid(gate[v]);
    store_vector<kVector>(out + at, up);
  }
}

// silu'(x) = s + x s (1 - s), s = sigmoid(x).
template <class T, int kVector>
__global__ void __launch_bounds__(kSwigluThreads) swiglu_gradient_kernel(SwigluGradient p) {
  const std::int64_t row = blockIdx.x;
  const T* packed = static_cast<const T*>(p.packed) + row * 2 * p.width;
  const T* through = static_cast<const T*>(p.out_gradient) + row * p.width;
  T* out = static_cast<T*>(p.packed_gradient) + row * 2 * p.width;
  for (std::int64_t at = std::int64_t{threadIdx.x} * kVector; at < p.width;
       at += kSwigluThreads * kVector) {
    float gate[kVector], up[kVector], g[kVector];
    load_vector<kVector>(packed + at, gate);
    load_vector<kVector>(packed + p.width + at, up);
    load_vector<kVector>(through + at, g);
#pragma unroll
    for (int v = 0; v < kVector; ++v) {
      const float x = gate[v], s = sigmoid(x);
      gate[v] = g[v] * up[v] * (s + x * s * (1 - s));
      up[v] = g[v] * x * s;
    }
    store_vector<kVector>(out + at, gate);
    store_vector<kVector>(out + p.width + at, up);
  }
}

template <class T, int kVector>
Status launch_swiglu(const Swiglu& p, cudaStream_t stream) {
  swiglu_kernel<T, kVector><<<static_cast<unsigned>(p.rows), kSwigluThreads, 0, stream>>>(p);
  return cuda_status(cudaGetLastError(), "swiglu_kernel");
}
template <class T, int kVector>
Status launch_swiglu(const SwigluGradient& p, cudaStream_t stream) {
  swiglu_gradient_kernel<T, kVector>
      <<<static_cast<unsigned>(p.rows), kSwigluThreads, 0, stream>>>(p);
  return cuda_status(cudaGetLastError(), "swiglu_gradient_kernel");
}

template <class T, class Arguments>
Status swiglu_of(const Arguments& p, cudaStream_t stream) {
  if (p.rows * p.width == 0) return {};
  return fits_vectors<T>(p.width) ? launch_swiglu<T, kNumbersOf16Bytes<T>>(p, stream)
                                  : launch_swiglu<T, 1>(p, stream);
}

}  // namespace

Status swiglu(const Swiglu& arguments, CUstream_st* stream) {
  return arguments.type == KeyType::bfloat16 ? swiglu_of<Bfloat16>(arguments, stream)
                                             : swiglu_of<float>(arguments, stream);
}

Status swiglu_gradient(const SwigluGradient& arguments, CUstream_st* stream) {
  return arguments.type == KeyType::bfloat16 ? swiglu_of<Bfloat16>(arguments, stream)
                                             : swiglu_of<float>(arguments, stream);
}

}  // namespace stepscope::kernels
