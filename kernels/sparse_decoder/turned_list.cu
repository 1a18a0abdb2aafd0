// SPDX-License-Identifier: Apache-2.0
// A thread an entry, which finds its column and its place in its token's line by bisection; then a
// warp a column.
#include <algorithm>

#include "kernels/common/block_scan.cuh"
#include "kernels/common/cuda_check.hpp"
#include "kernels/sparse_decoder/turned_list.hpp"

namespace stepscope::kernels {
namespace {

constexpr int kTurnThreads = 256;
constexpr std::int64_t kMostBlocks = 4096;

struct Turn {
  std::int64_t columns;
  const std::int64_t* token_offsets;
  const std::int32_t* token_indices;
  const float* token_values;
  const std::int64_t* column_offsets;
  const std::int32_t* column_indices;
  std::int64_t capacity;  // capacity of both lists
  std::int32_t* rows;     // or null
  std::int64_t group_columns, tokens;
  float* values;
  float* sums;
};

// The first of [begin, end) where `reached` holds, which it does from there on.
template <class Reached>
__device__ std::int64_t bisect(std::int64_t begin, std::int64_t end, Reached reached) {
  while (begin < end) {
    const std::int64_t middle = (begin + end) / 2;
    if (reached(middle))
      end = middle;
    else
      begin = middle + 1;
  }
  return begin;
}

__global__ void __launch_bounds__(kTurnThreads) turn_kernel(const Turn p) {
  const std::int64_t entries = min(p.column_offsets[p.columns], p.capacity);
  const std::int64_t stride = std::int64_t{gridDim.x} * kTurnThreads;
  for (std::int64_t i = std::int64_t{blockIdx.x} * kTurnThreads + threadIdx.x; i < entries;
       i += stride) {
    const std::int64_t column =
        bisect(0, p.columns, [&](std::int64_t line) { return p.column_offsets[line + 1] > i; });
    const std::int32_t token = p.column_indices[i];
    if (p.rows != nullptr)
      p.rows[i] = static_cast<std::int32_t>(column / p.group_columns * p.tokens + token);
    const std::int64_t end = min(p.token_offsets[token + 1], p.capacity);
    const std::int64_t at = bisect(p.token_offsets[token], end, [&](std::int64_t entry) {
      return p.token_indices[entry] >= column;
    });
    p.values[i] = at < end ? p.token_values[at] : 0.0F;
  }
}

__global__ void __launch_bounds__(kTurnThreads) line_sums_kernel(const Turn p) {
  const std::int64_t warps = std::int64_t{gridDim.x} * (kTurnThreads / kWarpSize);
  for (std::int64_t line = std::int64_t{blockIdx.x} * (kTurnThreads / kWarpSize) + warp_index();
       line < p.columns; line += warps) {
    const std::int64_t end = min(p.column_offsets[line + 1], p.capacity);
    double sum = 0;
    for (std::int64_t i = p.column_offsets[line] + lane_index(); i < end; i += kWarpSize)
      sum += static_cast<double>(p.values[i]);
    sum = warp_sum(sum);
    if (lane_index() == 0) p.sums[line] = static_cast<float>(sum);
  }
}

unsigned blocks_for(std::int64_t threads) {
  return static_cast<unsigned>(
      std::clamp<std::int64_t>((threads + kTurnThreads - 1) / kTurnThreads, 1, kMostBlocks));
}

}  // namespace

Status turn_list(const TurnedList& arguments, CUstream_st* stream) {
  if (Status status = validate(arguments); !status.ok()) return status;
  if (arguments.columns == 0) return {};
  const ActiveFeatures& token = arguments.by_token;
  const ActiveFeatures& column = arguments.by_column;
  const Turn p{
      arguments.columns, token.offsets,  token.indices,   static_cast<const float*>(token.values),
      column.offsets,    column.indices, column.capacity, arguments.rows,
      arguments.group_columns, arguments.tokens, arguments.values, arguments.sums};
  if (column.capacity > 0) turn_kernel<<<blocks_for(column.capacity), kTurnThreads, 0, stream>>>(p);
  line_sums_kernel<<<blocks_for(arguments.columns * kWarpSize), kTurnThreads, 0, stream>>>(p);
  return cuda_status(cudaGetLastError(), "turn_list");
}

}  // namespace stepscope::kernels
