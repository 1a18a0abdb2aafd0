// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/cuda_check.hpp"
#include "kernels/fp8/code_tile.cuh"
#include "kernels/fp8/scale_update.hpp"

namespace stepscope::kernels {
namespace {

using namespace fp8_device;

template <class T, Fp8Format kFormat>
__global__ void __launch_bounds__(kTileThreads) fp8_quantise_kernel(Fp8Quantise p) {
  __shared__ TileMemory memory;
  const TilePlace place(p.rows, p.columns);
  const float scale = *p.to.scale;
  std::uint32_t greatest = 0;
  CodeSquare codes = {};
  if (place.inside) {
    const T* from =
        static_cast<const T*>(p.from) + place.square_row() * p.columns + place.square_column();
#pragma unroll
    for (int i = 0; i < kSquare; ++i) {
      float numbers[kSquare];
      load_eight_numbers(from + i * p.columns, numbers);
      codes[i] = eight_codes<kFormat>(numbers, scale, greatest);
    }
  }
  write_tile(p.to, p.rows, p.columns, place, place.column, p.columns - place.column, codes, memory);
  raise_amax(p.to.amax, greatest);
}

template <class T>
__global__ void __launch_bounds__(kTileThreads) fp8_amax_kernel(Fp8Amax p) {
  const T* from = static_cast<const T*>(p.from);
  const std::int64_t step = std::int64_t{gridDim.x} * kTileThreads * kSquare;
  std::uint32_t greatest = 0;
  for (std::int64_t i = (std::int64_t{blockIdx.x} * kTileThreads + threadIdx.x) * kSquare;
       i < p.count; i += step) {
    float numbers[kSquare];
    load_eight_numbers(from + i, numbers);
#pragma unroll
    for (int k = 0; k < kSquare; ++k) greatest = max(greatest, magnitude_bits(numbers[k]));
  }
  raise_amax(p.amax, greatest);
}

__global__ void __launch_bounds__(kTileThreads) fp8_update_scales_kernel(Fp8ScaleUpdate p) {
  const std::int64_t tensor = std::int64_t{blockIdx.x} * kTileThreads + threadIdx.x;
  if (tensor < p.tensors) update_scale(p, tensor);
}

template <class T>
void launch_quantise(const Fp8Quantise& p, cudaStream_t stream) {
  const auto grid = static_cast<unsigned>(tiles_of(p.rows, p.columns));
  if (p.to.format == Fp8Format::e4m3)
    fp8_quantise_kernel<T, Fp8Format::e4m3><<<grid, kTileThreads, 0, stream>>>(p);
  else
    fp8_quantise_kernel<T, Fp8Format::e5m2><<<grid, kTileThreads, 0, stream>>>(p);
}

}  // namespace

Status fp8_quantise(const Fp8Quantise& arguments, CUstream_st* stream) {
  if (Status good = validate(arguments); !good.ok()) return good;
  if (arguments.rows * arguments.columns == 0) return {};
  if (arguments.type == KeyType::bfloat16)
    launch_quantise<Bfloat16>(arguments, stream);
  else
    launch_quantise<float>(arguments, stream);
  return cuda_status(cudaGetLastError(), "fp8_quantise_kernel");
}

Status fp8_amax(const Fp8Amax& arguments, CUstream_st* stream) {
  if (Status good = validate(arguments); !good.ok()) return good;
  if (arguments.count == 0) return {};
  constexpr std::int64_t kOfABlock = kTileThreads * kSquare, kMostBlocks = 1056;
  const std::int64_t wanted = (arguments.count + kOfABlock - 1) / kOfABlock;
  const auto grid = static_cast<unsigned>(wanted < kMostBlocks ? wanted : kMostBlocks);
  if (arguments.type == KeyType::bfloat16)
    fp8_amax_kernel<Bfloat16><<<grid, kTileThreads, 0, stream>>>(arguments);
  else
    fp8_amax_kernel<float><<<grid, kTileThreads, 0, stream>>>(arguments);
  return cuda_status(cudaGetLastError(), "fp8_amax_kernel");
}

Status fp8_update_scales(const Fp8ScaleUpdate& arguments, CUstream_st* stream) {
  if (Status good = validate(arguments); !good.ok()) return good;
  if (arguments.tensors == 0) return {};
  const auto grid = static_cast<unsigned>((arguments.tensors + kTileThreads - 1) / kTileThreads);
  fp8_update_scales_kernel<<<grid, kTileThreads, 0, stream>>>(arguments);
  return cuda_status(cudaGetLastError(), "fp8_update_scales_kernel");
}

}  // namespace stepscope::kernels
