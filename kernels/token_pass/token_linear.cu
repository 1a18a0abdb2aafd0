// SPDX-License-Identifier: Apache-2.0
// A block has 8 outputs of all rows, and a warp 256 inputs of them, whose weights (4 KB) are on
// their way to shared memory before it waits for the kernel ahead of it. Tensor cores multiply 16
// rows with 8 outputs (mma m16n8k16); the lower 8 rows are 0 where there are no more than 8. A
// lane's 16 bytes are 8 neighbouring inputs of a row or an output, so that memory is read in whole
// pieces: which of the 32 inputs of two products a lane has does not matter, where it is the same
// for both factors. A row's mean and deviation, and its sums, are put together from those of the
// warps, in their order.
#include <cuda_runtime.h>

#include "kernels/common/async_copy.cuh"
#include "kernels/common/block_scan.cuh"
#include "kernels/common/float_bits.hpp"
#include "kernels/common/grid_sync.cuh"
#include "kernels/common/launch.cuh"
#include "kernels/common/numbers.cuh"
#include "kernels/token_pass/token_pass.hpp"

namespace stepscope::kernels {
namespace {

constexpr int kTileRows = 16, kTileOutputs = 8, kTileInputs = 32;
constexpr int kInputsOfWarp = 256, kPieces = kInputsOfWarp / kTileInputs;
constexpr int kMostWarps = static_cast<int>(kTokenMostInputs) / kInputsOfWarp;
constexpr int kMostNormWarps = static_cast<int>(kTokenMostNormInputs) / kInputsOfWarp;
constexpr int kNumbers = 8;  // numbers in a piece of 16 bytes

// A lane's share of a row or an output, which is 64 numbers.
using Pieces = uint4[kPieces];

// Loads what the kernel before wrote, in the order of the code, so that all of a lane's loads are
// on their way at once.
__device__ uint4 load_in_order(const uint4* from) {
  uint4 piece;
  asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(piece.x), "=r"(piece.y), "=r"(piece.z), "=r"(piece.w)
               : "l"(from)
               : "memory");
  return piece;
}

// The pieces of a warp's lanes lie side by side; each lane reads its own alone.
using Staged = uint4[kPieces][kWarpSize];

__device__ void begin_copy(const Bfloat16* from, Staged& staged) {
#pragma unroll
  for (int i = 0; i < kPieces; ++i) copy_async(&staged[i][lane_index()], from + i * kTileInputs);
}

__device__ void load_row(const TokenLinear& p, int row, int first, Pieces& pieces) {
  const Bfloat16* const from = static_cast<const Bfloat16*>(p.x) + row * p.inputs + first;
#pragma unroll
  for (int i = 0; i < kPieces; ++i) pieces[i] = {};
  if (row >= p.rows) return;
#pragma unroll
  for (int i = 0; i < kPieces; ++i)
    pieces[i] = load_in_order(reinterpret_cast<const uint4*>(from + i * kTileInputs));
}

// Adds up over the four lanes that share a row.
__device__ float row_sum(float number) {
  number += __shfl_xor_sync(kAllLanes, number, 1);
  return number + __shfl_xor_sync(kAllLanes, number, 2);
}

template <class Each>
__device__ void for_numbers(const Pieces& pieces, Each each) {
#pragma unroll
  for (int i = 0; i < kPieces; ++i) {
    float numbers[kNumbers];
    unpack<Bfloat16>(pieces[i], numbers);
#pragma unroll
    for (const float number : numbers) each(number);
  }
}

// The mean of a row's inputs in one warp, and the sum of squares of their distances from it.
struct Moments {
  float mean, squares;
};

__device__ Moments moments_of(const Pieces& pieces) {
  Moments out{};
  for_numbers(pieces, [&](float number) { out.mean += number; });
  out.mean = row_sum(out.mean) / kInputsOfWarp;
  for_numbers(pieces, [&](float number) {
    out.squares = fmaf(number - out.mean, number - out.mean, out.squares);
  });
  out.squares = row_sum(out.squares);
  return out;
}

// Returns the row's mean, and 1 / its deviation in place of squares.
__device__ Moments of_row(const Moments (&of_warps)[kMostNormWarps][kTileRows], int row, int warps,
                          float epsilon) {
  Moments all{};
  for (int warp = 0; warp < warps; ++warp) all.mean += of_warps[warp][row].mean;
  all.mean /= static_cast<float>(warps);
  for (int warp = 0; warp < warps; ++warp) {
    const float off = of_warps[warp][row].mean - all.mean;
    all.squares += of_warps[warp][row].squares + kInputsOfWarp * off * off;
  }
  return {all.mean, rsqrtf(all.squares / static_cast<float>(warps * kInputsOfWarp) + epsilon)};
}

__device__ void normalise(const Moments& row, const Staged& weights, Pieces& pieces) {
#pragma unroll
  for (int i = 0; i < kPieces; ++i) {
    float numbers[kNumbers], factors[kNumbers];
    unpack<Bfloat16>(pieces[i], numbers);
    unpack<Bfloat16>(weights[i][lane_index()], factors);
#pragma unroll
    for (int n = 0; n < kNumbers; ++n)
      numbers[n] = (numbers[n] - row.mean) * row.squares * factors[n];
    pieces[i] = {two_bfloat16(numbers[0], numbers[1]), two_bfloat16(numbers[2], numbers[3]),
                 two_bfloat16(numbers[4], numbers[5]), two_bfloat16(numbers[6], numbers[7])};
  }
}

__device__ void multiply_add(float (&sums)[4], const uint2& upper, const uint2& lower,
                             const uint2& weights) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, "
      "%2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(upper.x), "r"(lower.x), "r"(upper.y), "r"(lower.y), "r"(weights.x), "r"(weights.y));
}

__device__ void write_outputs(const TokenLinear& p,
                              const float (&sums)[kMostWarps][kTileRows * kTileOutputs]) {
  const int warps = static_cast<int>(blockDim.x) / kWarpSize;
  for (int i = static_cast<int>(threadIdx.x); i < p.rows * kTileOutputs;
       i += static_cast<int>(blockDim.x)) {
    float sum = 0;
    for (int warp = 0; warp < warps; ++warp) sum += sums[warp][i];
    const std::int64_t at =
        i / kTileOutputs * p.outputs + std::int64_t{blockIdx.x} * kTileOutputs + i % kTileOutputs;
    if (p.residual != nullptr) sum += to_float(static_cast<const Bfloat16*>(p.residual)[at]);
    if (p.gelu) sum = sum * 0.5F * (1 + erff(sum * 0.70710678F));
    static_cast<Bfloat16*>(p.out)[at] = to_bfloat16(sum);
  }
}

template <bool kNorm, bool kLower>
__global__ void __launch_bounds__((kNorm ? kMostNormWarps : kMostWarps) * kWarpSize, 1)
    token_linear_kernel(const __grid_constant__ TokenLinear p) {
  extern __shared__ Staged staged[];  // weights of each warp, then with a norm its weights
  __shared__ float sums[kMostWarps][kTileRows * kTileOutputs];
  __shared__ Moments moments[kMostNormWarps][kTileRows];
  const int warp = static_cast<int>(warp_index()), warps = static_cast<int>(blockDim.x) / kWarpSize;
  const int group = static_cast<int>(lane_index()) / 4, place = static_cast<int>(lane_index()) % 4;
  const int first = warp * kInputsOfWarp + place * kNumbers;
  const std::int64_t output = std::int64_t{blockIdx.x} * kTileOutputs + group;

  let_next_grid_start();
  begin_copy(static_cast<const Bfloat16*>(p.weights) + output * p.inputs + first, staged[warp]);
  if constexpr (kNorm)
    begin_copy(static_cast<const Bfloat16*>(p.norm) + first, staged[warps + warp]);
  close_copy_group();
  wait_for_grid_before();
  Pieces upper, lower = {};
  load_row(p, group, first, upper);
  if constexpr (kLower) load_row(p, group + 8, first, lower);
  wait_for_copies<0>();
  if constexpr (kNorm) {
    moments[warp][group] = moments_of(upper);
    if constexpr (kLower) moments[warp][group + 8] = moments_of(lower);
    __syncthreads();
    normalise(of_row(moments, group, warps, p.epsilon), staged[warps + warp], upper);
    if constexpr (kLower)
      normalise(of_row(moments, group + 8, warps, p.epsilon), staged[warps + warp], lower);
  }
  float own[4] = {};
#pragma unroll
  for (int i = 0; i < kPieces; ++i) {
    const uint4 weights = staged[warp][i][lane_index()];
    multiply_add(own, {upper[i].x, upper[i].y}, {lower[i].x, lower[i].y}, {weights.x, weights.y});
    multiply_add(own, {upper[i].z, upper[i].w}, {lower[i].z, lower[i].w}, {weights.z, weights.w});
  }
  float* const tile = sums[warp] + group * kTileOutputs + 2 * place;
  tile[0] = own[0], tile[1] = own[1];
  tile[8 * kTileOutputs] = own[2], tile[8 * kTileOutputs + 1] = own[3];
  __syncthreads();
  write_outputs(p, sums);
}

}  // namespace

Status token_linear(const TokenLinear& arguments, CUstream_st* stream) {
  if (Status status = validate(arguments); !status.ok()) return status;
  DeviceLimits device;
  if (Status s = cuda_status(DeviceLimits::of_current(&device), "cudaDeviceGetAttribute"); !s.ok())
    return s;
  const auto warps = static_cast<int>(arguments.inputs) / kInputsOfWarp;
  const std::size_t staged = static_cast<std::size_t>(warps) * sizeof(Staged);
  const Launch launch{static_cast<unsigned>(arguments.outputs / kTileOutputs), warps * kWarpSize,
                      arguments.norm != nullptr ? 2 * staged : staged, stream, device};
  const bool norm = arguments.norm != nullptr, lower = arguments.rows > kTileRows / 2;
  const auto kernel =
      norm ? (lower ? token_linear_kernel<true, true> : token_linear_kernel<true, false>)
           : (lower ? token_linear_kernel<false, true> : token_linear_kernel<false, false>);
  return cuda_status(launch.overlapping(kernel, arguments), "token_linear");
}

}  // namespace stepscope::kernels
