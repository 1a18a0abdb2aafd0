// SPDX-License-Identifier: Apache-2.0
// SwiGLU and its gradient with codes as their only output: the tiles are of `width` columns, and
// the gradient has two of them, of gate and up.
#include "kernels/common/cuda_check.hpp"
#include "kernels/fp8/code_tile.cuh"

namespace stepscope::kernels {
namespace {

using namespace fp8_device;

__device__ float fast_sigmoid(float x) {
  return 1 / (1 + __expf(-x));
}

template <class T, Fp8Format kFormat>
__global__ void __launch_bounds__(kTileThreads, 2) fp8_swiglu_kernel(Fp8Swiglu p) {
  __shared__ TileMemory memory;
  const TilePlace place(p.rows, p.width);
  const float scale = *p.to.scale;
  std::uint32_t greatest = 0;
  CodeSquare codes = {};
  if (place.inside) {
    const T* packed =
        static_cast<const T*>(p.packed) + place.square_row() * 2 * p.width + place.square_column();
#pragma unroll
    for (int i = 0; i < kSquare; ++i) {
      float gate[kSquare], up[kSquare];
      load_eight_numbers(packed + i * 2 * p.width, gate);
      load_eight_numbers(packed + i * 2 * p.width + p.width, up);
#pragma unroll
      for (int k = 0; k < kSquare; ++k) up[k] *= gate[k] * fast_sigmoid(gate[k]);
      codes[i] = eight_codes<kFormat>(up, scale, greatest);
    }
  }
  write_tile(p.to, p.rows, p.width, place, place.column, p.width - place.column, codes, memory);
  raise_amax(p.to.amax, greatest);
}

template <class T, Fp8Format kFormat>
__global__ void __launch_bounds__(kTileThreads, 2) fp8_swiglu_gradient_kernel(Fp8SwigluGradient p) {
  __shared__ TileMemory memory;
  const TilePlace place(p.rows, p.width);
  const float scale = *p.to.scale;
  std::uint32_t greatest = 0;
  CodeSquare of_gate = {}, of_up = {};
  if (place.inside) {
    const std::int64_t row = place.square_row(), column = place.square_column();
    const T* packed = static_cast<const T*>(p.packed) + row * 2 * p.width + column;
    const T* through = static_cast<const T*>(p.out_gradient) + row * p.width + column;
#pragma unroll
    for (int i = 0; i < kSquare; ++i) {
      float gate[kSquare], up[kSquare], g[kSquare];
      load_eight_numbers(packed + i * 2 * p.width, gate);
      load_eight_numbers(packed + i * 2 * p.width + p.width, up);
      load_eight_numbers(through + i * p.width, g);
#pragma unroll
      for (int k = 0; k < kSquare; ++k) {
        const float x = gate[k], s = fast_sigmoid(x);
        gate[k] = g[k] * up[k] * (s + x * s * (1 - s));
        up[k] = g[k] * x * s;
      }
      of_gate[i] = eight_codes<kFormat>(gate, scale, greatest);
      of_up[i] = eight_codes<kFormat>(up, scale, greatest);
    }
  }
  const std::int64_t columns = 2 * p.width, inner = p.width - place.column;
  write_tile(p.to, p.rows, columns, place, place.column, inner, of_gate, memory);
  __syncthreads();  // the memory is read before it is written anew
  write_tile(p.to, p.rows, columns, place, p.width + place.column, inner, of_up, memory);
  raise_amax(p.to.amax, greatest);
}

template <class T>
void launch_fp8(const Fp8Swiglu& p, cudaStream_t stream) {
  const auto grid = static_cast<unsigned>(tiles_of(p.rows, p.width));
  if (p.to.format == Fp8Format::e4m3)
    fp8_swiglu_kernel<T, Fp8Format::e4m3><<<grid, kTileThreads, 0, stream>>>(p);
  else
    fp8_swiglu_kernel<T, Fp8Format::e5m2><<<grid, kTileThreads, 0, stream>>>(p);
}
template <class T>
void launch_fp8(const Fp8SwigluGradient& p, cudaStream_t stream) {
  const auto grid = static_cast<unsigned>(tiles_of(p.rows, p.width));
  if (p.to.format == Fp8Format::e4m3)
    fp8_swiglu_gradient_kernel<T, Fp8Format::e4m3><<<grid, kTileThreads, 0, stream>>>(p);
  else
    fp8_swiglu_gradient_kernel<T, Fp8Format::e5m2><<<grid, kTileThreads, 0, stream>>>(p);
}

template <class Arguments>
Status launch_checked_fp8(const Arguments& p, cudaStream_t stream, const char* name) {
  if (Status good = validate(p); !good.ok()) return good;
  if (p.rows * p.width == 0) return {};
  if (p.type == KeyType::bfloat16)
    launch_fp8<Bfloat16>(p, stream);
  else
    launch_fp8<float>(p, stream);
  return cuda_status(cudaGetLastError(), name);
}

}  // namespace

Status fp8_swiglu(const Fp8Swiglu& arguments, CUstream_st* stream) {
  return launch_checked_fp8(arguments, stream, "fp8_swiglu_kernel");
}

Status fp8_swiglu_gradient(const Fp8SwigluGradient& arguments, CUstream_st* stream) {
  return launch_checked_fp8(arguments, stream, "fp8_swiglu_gradient_kernel");
}

}  // namespace stepscope::kernels
