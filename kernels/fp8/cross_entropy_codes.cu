// SPDX-License-Identifier: Apache-2.0
// The gradient of cross entropy with codes as its only output, by tiles: what a row's tiles need of
// the whole row, the logarithm of its sum of exponentials, follows from its loss.
#include "kernels/common/cuda_check.hpp"
#include "kernels/fp8/code_tile.cuh"

namespace stepscope::kernels {
namespace {

using namespace fp8_device;

template <class T, Fp8Format kFormat>
__global__ void __launch_bounds__(kTileThreads)
    fp8_cross_entropy_gradient_kernel(Fp8CrossEntropyGradient p) {
  __shared__ TileMemory memory;
  __shared__ float logarithms[kTile];
  __shared__ int targets[kTile];  // columns of this tile, or outside
  const TilePlace place(p.rows, p.width);
  const T* logits = static_cast<const T*>(p.logits);
  const int own_row = static_cast<int>(threadIdx.x);
  if (own_row < kTile && place.row + own_row < p.rows) {
    const std::int64_t row = place.row + own_row, target = p.targets[row];
    logarithms[own_row] = p.losses[row] + to_float(logits[row * p.width + target]);
    targets[own_row] = static_cast<int>(target - place.column);
  }
  __syncthreads();
  const float scale = *p.to.scale;
  std::uint32_t greatest = 0;
  CodeSquare codes = {};
  if (place.inside) {
    const T* from = logits + place.square_row() * p.width + place.square_column();
#pragma unroll
    for (int i = 0; i < kSquare; ++i) {
      const int row = place.row_unit * kSquare + i;
      const int target = targets[row] - place.column_unit * kSquare;
      float numbers[kSquare];
      load_eight_numbers(from + i * p.width, numbers);
#pragma unroll
      for (int k = 0; k < kSquare; ++k) {
        numbers[k] = __expf(numbers[k] - logarithms[row]);
        if (k == target) numbers[k] -= 1;
      }
      codes[i] = eight_codes<kFormat>(numbers, scale, greatest);
    }
  }
  write_tile(p.to, p.rows, p.width, place, place.column, p.width - place.column, codes, memory);
  raise_amax(p.to.amax, greatest);
}

template <class T>
void launch_fp8(const Fp8CrossEntropyGradient& p, cudaStream_t stream) {
  const auto grid = static_cast<unsigned>(tiles_of(p.rows, p.width));
  if (p.to.format == Fp8Format::e4m3)
    fp8_cross_entropy_gradient_kernel<T, Fp8Format::e4m3><<<grid, kTileThreads, 0, stream>>>(p);
  else
    fp8_cross_entropy_gradient_kernel<T, Fp8Format::e5m2><<<grid, kTileThreads, 0, stream>>>(p);
}

}  // namespace

Status fp8_cross_entropy_gradient(const Fp8CrossEntropyGradient& arguments, CUstream_st* stream) {
  if (Status good = validate(arguments); !good.ok()) return good;
  if (arguments.rows * arguments.width == 0) return {};
  if (arguments.type == KeyType::bfloat16)
    launch_fp8<Bfloat16>(arguments, stream);
  else
    launch_fp8<float>(arguments, stream);
  return cuda_status(cudaGetLastError(), "fp8_cross_entropy_gradient_kernel");
}

}  // namespace stepscope::kernels
