// SPDX-License-Identifier: Apache-2.0
// A thread has 16 bytes of gate and up, or one number of each where rows do not divide so.
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
  const std::int64_t vectors = p.width / kVector;
  const std::int64_t index = std::int64_t{blockIdx.x} * kSwigluThreads + threadIdx.x;
  if (index >= p.rows * vectors) return;
  const std::int64_t row = index / vectors, at = (index % vectors) * kVector;
  const T* packed = static_cast<const T*>(p.packed) + row * 2 * p.width + at;
  float gate[kVector], up[kVector];
  load_vector<kVector>(packed, gate);
  load_vector<kVector>(packed + p.width, up);
#pragma unroll
  for (int v = 0; v < kVector; ++v) up[v] *= gate[v] * sigmoid(gate[v]);
  store_vector<kVector>(static_cast<T*>(p.out) + row * p.width + at, up);
}

// silu'(x) = s + x s (1 - s), s = sigmoid(x).
template <class T, int kVector>
__global__ void __launch_bounds__(kSwigluThreads) swiglu_gradient_kernel(SwigluGradient p) {
  const std::int64_t vectors = p.width / kVector;
  const std::int64_t index = std::int64_t{blockIdx.x} * kSwigluThreads + threadIdx.x;
  if (index >= p.rows * vectors) return;
  const std::int64_t row = index / vectors, at = (index % vectors) * kVector;
  const std::int64_t in_packed = row * 2 * p.width + at;
  const T* packed = static_cast<const T*>(p.packed) + in_packed;
  float gate[kVector], up[kVector], g[kVector];
  load_vector<kVector>(packed, gate);
  load_vector<kVector>(packed + p.width, up);
  load_vector<kVector>(static_cast<const T*>(p.out_gradient) + row * p.width + at, g);
#pragma unroll
  for (int v = 0; v < kVector; ++v) {
    const float x = gate[v], s = sigmoid(x);
    gate[v] = g[v] * up[v] * (s + x * s * (1 - s));
    up[v] = g[v] * x * s;
  }
  T* out = static_cast<T*>(p.packed_gradient) + in_packed;
  store_vector<kVector>(out, gate);
  store_vector<kVector>(out + p.width, up);
}

unsigned swiglu_blocks(std::int64_t rows, std::int64_t vectors) {
  return static_cast<unsigned>((rows * vectors + kSwigluThreads - 1) / kSwigluThreads);
}

template <class T, int kVector>
Status launch_swiglu(const Swiglu& p, cudaStream_t stream) {
  swiglu_kernel<T, kVector>
      <<<swiglu_blocks(p.rows, p.width / kVector), kSwigluThreads, 0, stream>>>(p);
  return cuda_status(cudaGetLastError(), "swiglu_kernel");
}
template <class T, int kVector>
Status launch_swiglu(const SwigluGradient& p, cudaStream_t stream) {
  swiglu_gradient_kernel<T, kVector>
      <<<swiglu_blocks(p.rows, p.width / kVector), kSwigluThreads, 0, stream>>>(p);
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
