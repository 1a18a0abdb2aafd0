// SPDX-License-Identifier: Apache-2.0
// A block has a row and head; a thread has some positions' scores, then some numbers of the output.
// Scores lie in shared memory, and softmax is written as it stands, the greatest first.
#include <cuda_runtime.h>

#include "kernels/common/block_scan.cuh"
#include "kernels/common/float_bits.hpp"
#include "kernels/common/grid_sync.cuh"
#include "kernels/common/launch.cuh"
#include "kernels/common/numbers.cuh"
#include "kernels/token_pass/token_pass.hpp"

namespace stepscope::kernels {
namespace {

constexpr int kAttentionThreads = 256, kAttentionWarps = kAttentionThreads / kWarpSize;
constexpr int kMostWidth = 128, kPieceNumbers = 8;

template <class Combine>
__device__ float of_block(float number, float (&of_warps)[kAttentionWarps], Combine combine) {
  for (int distance = kWarpSize / 2; distance > 0; distance /= 2)
    number = combine(number, __shfl_xor_sync(kAllLanes, number, distance));
  __syncthreads();
  if (lane_index() == 0) of_warps[warp_index()] = number;
  __syncthreads();
  float all = of_warps[0];
  for (int warp = 1; warp < kAttentionWarps; ++warp) all = combine(all, of_warps[warp]);
  return all;
}

// Puts the row's own key and value into their place.
__device__ void put_token(const TokenAttention& p, std::int64_t line, const Bfloat16* query,
                          std::int64_t place) {
  const std::int64_t step = p.heads * p.width;  // from the query to the key, and on to the value
  const std::int64_t at = (line * p.positions + place) * p.width;
  for (int k = static_cast<int>(threadIdx.x); k < p.width; k += kAttentionThreads) {
    static_cast<Bfloat16*>(p.keys)[at + k] = query[step + k];
    static_cast<Bfloat16*>(p.values)[at + k] = query[2 * step + k];
  }
}

__device__ float score_of(const float* query, const Bfloat16* key, int width) {
  float sum = 0;
  for (int k = 0; k < width; k += kPieceNumbers) {
    float numbers[kPieceNumbers];
    unpack<Bfloat16>(*reinterpret_cast<const uint4*>(key + k), numbers);
#pragma unroll
    for (int n = 0; n < kPieceNumbers; ++n) sum = fmaf(query[k + n], numbers[n], sum);
  }
  return sum;
}

__global__ void __launch_bounds__(kAttentionThreads)
    token_attention_kernel(const __grid_constant__ TokenAttention p) {
  extern __shared__ float scores[];
  __shared__ float query[kMostWidth], of_warps[kAttentionWarps];
  __shared__ float parts[kAttentionThreads / 8][kMostWidth + 1];
  let_next_grid_start();
  wait_for_grid_before();
  const auto thread = static_cast<int>(threadIdx.x), width = static_cast<int>(p.width);
  const std::int64_t line = blockIdx.x, row = line / p.heads, head = line % p.heads;
  const std::int64_t place = min(*p.place, p.positions - 1);
  const Bfloat16* const own =
      static_cast<const Bfloat16*>(p.query_key_value) + (3 * row * p.heads + head) * p.width;
  put_token(p, line, own, place);
  const float scale = rsqrtf(static_cast<float>(width));
  for (int k = thread; k < width; k += kAttentionThreads) query[k] = to_float(own[k]) * scale;
  __syncthreads();

  const Bfloat16* const keys = static_cast<const Bfloat16*>(p.keys) + line * p.positions * p.width;
  float greatest = -INFINITY;
  for (int t = thread; t <= place; t += kAttentionThreads) {
    scores[t] = score_of(query, keys + t * p.width, width);
    greatest = fmaxf(greatest, scores[t]);
  }
  greatest = of_block(greatest, of_warps, [](float a, float b) { return fmaxf(a, b); });
  float sum = 0;
  for (int t = thread; t <= place; t += kAttentionThreads) {
    scores[t] = __expf(scores[t] - greatest);
    sum += scores[t];
  }
  sum = of_block(sum, of_warps, [](float a, float b) { return a + b; });

  // A thread has eight numbers of the output; threads of the same ones share the positions.
  const Bfloat16* const values =
      static_cast<const Bfloat16*>(p.values) + line * p.positions * p.width;
  const int columns = width / kPieceNumbers, groups = kAttentionThreads / columns;
  const int column = thread % columns, group = thread / columns;
  const int used = min(groups, kAttentionThreads / 8);
  float out[kPieceNumbers] = {};
  if (group < used) {
    for (int t = group; t <= place; t += used) {
      float numbers[kPieceNumbers];
      unpack<Bfloat16>(
          *reinterpret_cast<const uint4*>(values + t * p.width + column * kPieceNumbers), numbers);
#pragma unroll
      for (int n = 0; n < kPieceNumbers; ++n) out[n] = fmaf(scores[t], numbers[n], out[n]);
    }
#pragma unroll
    for (int n = 0; n < kPieceNumbers; ++n) parts[group][column * kPieceNumbers + n] = out[n];
  }
  __syncthreads();
  for (int k = thread; k < width; k += kAttentionThreads) {
    float all = 0;
    for (int i = 0; i < used; ++i) all += parts[i][k];
    static_cast<Bfloat16*>(p.out)[line * p.width + k] = to_bfloat16(all / sum);
  }
}

}  // namespace

Status token_attention(const TokenAttention& arguments, CUstream_st* stream) {
  if (Status status = validate(arguments); !status.ok()) return status;
  DeviceLimits device;
  if (Status s = cuda_status(DeviceLimits::of_current(&device), "cudaDeviceGetAttribute"); !s.ok())
    return s;
  const Launch launch{static_cast<unsigned>(arguments.rows * arguments.heads), kAttentionThreads,
                      static_cast<std::size_t>(arguments.positions) * sizeof(float), stream,
                      device};
  return cuda_status(launch.overlapping(token_attention_kernel, arguments), "token_attention");
}

}  // namespace stepscope::kernels
