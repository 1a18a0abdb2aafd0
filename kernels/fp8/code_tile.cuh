// SPDX-License-Identifier: Apache-2.0
// A tile of 128 rows and 128 columns of codes by a block of 256 threads. A thread makes a square of
// 8 by 8: 16 neighbours in a warp read 8 numbers of a row each, 256 bytes of bfloat16 together, and
// write its 128 bytes of codes. The square is turned in registers and goes through shared memory,
// so that a column's 128 codes are written together, too. There a column is 16 units of 8 bytes,
// placed so that neither way has two lanes of a half-warp at one bank.
//
// Rows and columns of a matrix are multiples of 16: a square lies inside or outside as a whole.
#pragma once

#include <cuda_fp8.h>
#include <cuda_runtime.h>

#include "kernels/common/numbers.cuh"
#include "kernels/fp8/fp8.hpp"

namespace stepscope::kernels::fp8_device {

constexpr int kTile = 128, kSquare = 8, kUnits = kTile / kSquare, kTileThreads = 256;
constexpr int kTileWarps = kTileThreads / 32;
static_assert(kUnits * kUnits == kTileThreads);

// Eight rows of eight codes, the first column in the lowest byte of x.
using CodeSquare = uint2[kSquare];
using TileMemory = uint2[kTile * kUnits];

// The place of this block's tile in a matrix of [rows, columns], whose tiles are numbered along the
// columns.
struct TilePlace {
  std::int64_t row, column;  // the tile's first number
  int row_unit, column_unit;
  bool inside;  // this thread's square

  __device__ TilePlace(std::int64_t rows, std::int64_t columns)
      : row_unit(static_cast<int>(threadIdx.x) / kUnits),
        column_unit(static_cast<int>(threadIdx.x) % kUnits) {
    const std::int64_t across = (columns + kTile - 1) / kTile;
    row = blockIdx.x / across * kTile;
    column = blockIdx.x % across * kTile;
    inside = square_row() < rows && square_column() < columns;
  }
  __device__ std::int64_t square_row() const { return row + row_unit * kSquare; }
  __device__ std::int64_t square_column() const { return column + column_unit * kSquare; }
};

inline std::int64_t tiles_of(std::int64_t rows, std::int64_t columns) {
  return (rows + kTile - 1) / kTile * ((columns + kTile - 1) / kTile);
}

template <class T>
__device__ void load_eight_numbers(const T* from, float (&to)[kSquare]) {
  if constexpr (sizeof(T) == 4) {
    const float4 a = reinterpret_cast<const float4*>(from)[0];
    const float4 b = reinterpret_cast<const float4*>(from)[1];
    to[0] = a.x, to[1] = a.y, to[2] = a.z, to[3] = a.w;
    to[4] = b.x, to[5] = b.y, to[6] = b.z, to[7] = b.w;
  } else {
    unpack<T>(*reinterpret_cast<const uint4*>(from), to);
  }
}

__device__ inline std::uint32_t magnitude_bits(float number) {
  return bits_of(number) & 0x7fffffffU;
}

// The sum is 0, or a NaN where the number is not finite: the conversion alone would make the
// greatest number of an infinity.
__device__ inline float scaled(float number, float scale) {
  return number * scale + (number - number);
}

template <Fp8Format kFormat>
__device__ std::uint32_t two_codes(float low, float high) {
  constexpr __nv_fp8_interpretation_t kKind =
      kFormat == Fp8Format::e4m3 ? __NV_E4M3 : __NV_E5M2;
  return __nv_cvt_float2_to_fp8x2(float2{low, high}, __NV_SATFINITE, kKind);
}

// Makes codes, and raises `greatest`, the bits of a magnitude.
template <Fp8Format kFormat>
__device__ uint2 eight_codes(const float (&numbers)[kSquare], float scale,
                             std::uint32_t& greatest) {
  float in[kSquare];
#pragma unroll
  for (int i = 0; i < kSquare; ++i) {
    greatest = max(greatest, magnitude_bits(numbers[i]));
    in[i] = scaled(numbers[i], scale);
  }
  return {two_codes<kFormat>(in[0], in[1]) | two_codes<kFormat>(in[2], in[3]) << 16,
          two_codes<kFormat>(in[4], in[5]) | two_codes<kFormat>(in[6], in[7]) << 16};
}

// Four words of four codes, turned.
__device__ inline void turn_four(std::uint32_t a, std::uint32_t b, std::uint32_t c,
                                 std::uint32_t d, std::uint32_t (&out)[4]) {
  const std::uint32_t low_ab = __byte_perm(a, b, 0x5140), high_ab = __byte_perm(a, b, 0x7362);
  const std::uint32_t low_cd = __byte_perm(c, d, 0x5140), high_cd = __byte_perm(c, d, 0x7362);
  out[0] = __byte_perm(low_ab, low_cd, 0x5410);
  out[1] = __byte_perm(low_ab, low_cd, 0x7632);
  out[2] = __byte_perm(high_ab, high_cd, 0x5410);
  out[3] = __byte_perm(high_ab, high_cd, 0x7632);
}

__device__ inline void turn(const CodeSquare& rows, CodeSquare& columns) {
  std::uint32_t top[4], bottom[4];
  turn_four(rows[0].x, rows[1].x, rows[2].x, rows[3].x, top);
  turn_four(rows[4].x, rows[5].x, rows[6].x, rows[7].x, bottom);
#pragma unroll
  for (int i = 0; i < 4; ++i) columns[i] = {top[i], bottom[i]};
  turn_four(rows[0].y, rows[1].y, rows[2].y, rows[3].y, top);
  turn_four(rows[4].y, rows[5].y, rows[6].y, rows[7].y, bottom);
#pragma unroll
  for (int i = 0; i < 4; ++i) columns[4 + i] = {top[i], bottom[i]};
}

// Writes a tile of a matrix of [rows, columns]. The tile begins at `column` and writes
// `inner_columns` columns. All threads of the block call it.
__device__ inline void write_tile(const Fp8Codes& to, std::int64_t rows, std::int64_t columns,
                                  const TilePlace& place, std::int64_t column,
                                  std::int64_t inner_columns, const CodeSquare& codes,
                                  TileMemory& memory) {
  if (place.inside) {
    std::uint8_t* out =
        to.codes + place.square_row() * columns + column + place.column_unit * kSquare;
#pragma unroll
    for (int i = 0; i < kSquare; ++i) *reinterpret_cast<uint2*>(out + i * columns) = codes[i];
  }
  if (to.transposed == nullptr) return;
  CodeSquare turned;
  turn(codes, turned);
#pragma unroll
  for (int i = 0; i < kSquare; ++i)
    memory[(place.column_unit * kSquare + i) * kUnits + (place.row_unit ^ place.column_unit)] =
        turned[i];
  __syncthreads();
  // From here on a thread's unit is of rows, and its columns are 16 apart.
  const int unit = place.column_unit;
  const std::int64_t row = place.row + unit * kSquare;
#pragma unroll
  for (int i = 0; i < kSquare; ++i) {
    const int own = i * kUnits + place.row_unit;
    const uint2 eight = memory[own * kUnits + (unit ^ (own / kSquare))];
    if (row < rows && own < inner_columns)
      *reinterpret_cast<uint2*>(to.transposed + (column + own) * rows + row) = eight;
  }
}

// All threads of the block call it. Most blocks find that another has raised it as far.
__device__ inline void raise_amax(float* amax, std::uint32_t greatest) {
  if (amax == nullptr) return;
  __shared__ std::uint32_t of_warps[kTileWarps];
  greatest = __reduce_max_sync(0xffffffffU, greatest);
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = greatest;
  __syncthreads();
  if (threadIdx.x != 0) return;
#pragma unroll
  for (int i = 1; i < kTileWarps; ++i) greatest = max(greatest, of_warps[i]);
  auto* bits = reinterpret_cast<unsigned*>(amax);
  if (greatest > *static_cast<volatile unsigned*>(bits)) atomicMax(bits, greatest);
}

}  // namespace stepscope::kernels::fp8_device
