// SPDX-License-Identifier: Apache-2.0
// Mean and 1 / (standard deviation + epsilon) of each column, the same bits whatever the device.
//
// Rows are summed in parts of 512 and these in runs of 64, a warp each, in float around the run's
// first value; runs, then parts, are merged in order, in double. So the order of additions is the
// shape's alone.
#pragma once

#include <cstdint>

#include "kernels/batch_topk/lane_keys.cuh"
#include "kernels/batch_topk/state.cuh"

namespace stepscope::kernels::batch_topk_device {

constexpr std::uint32_t kRowsOfRun = 64;
constexpr std::uint32_t kRunsOfPart = 8;
static_assert(kRowsOfRun * kRunsOfPart == BatchTopkWorkspace::kRowsOfPart);
constexpr int kStatisticsThreads = kRunsOfPart * kWarpSize;
constexpr std::uint32_t kRowsAtOnce = 8;

// A lane's columns: eight, whatever the type.
template <class T>
using StatisticsLayout = LaneLayout<T, sizeof(T) == 2 ? 1 : 2>;
template <class T>
using StatisticsWords = LaneWords<T, sizeof(T) == 2 ? 1 : 2>;

struct Moments {
  double count = 0, mean = 0, squares = 0;  // of the distances from the mean

  __device__ void merge(double other_count, double other_mean, double other_squares) {
    if (other_count == 0) return;
    const double all = count + other_count;
    const double distance = other_mean - mean;
    mean += distance * (other_count / all);
    squares += other_squares + distance * distance * (count * other_count / all);
    count = all;
  }
};

template <class T, bool kAligned>
__device__ inline StatisticsWords<T> load_strip(const Parameters& p, std::uint32_t row,
                                                std::uint32_t column) {
  using Layout = StatisticsLayout<T>;
  const std::uint32_t lane = threadIdx.x % kWarpSize;
  const T* keys = static_cast<const T*>(p.keys) + std::uint64_t{row} * p.shape.columns;
  StatisticsWords<T> words{};
  if constexpr (kAligned) {
#pragma unroll
    for (int piece = 0; piece < Layout::kPieces; ++piece) {
      const std::uint32_t at = column + Layout::column(lane, piece * Layout::kPerPiece);
      if (at >= p.shape.columns) continue;
      const uint4 four = __ldg(reinterpret_cast<const uint4*>(keys + at));
      words.word[4 * piece] = four.x, words.word[4 * piece + 1] = four.y;
      words.word[4 * piece + 2] = four.z, words.word[4 * piece + 3] = four.w;
    }
  } else {
#pragma unroll
    for (int i = 0; i < Layout::kKeys; ++i) {
      const std::uint32_t at = column + Layout::column(lane, i);
      if (at < p.shape.columns) words.put(i, keys[at]);
    }
  }
  return words;
}

// A block a strip of columns and part of rows.
template <class T, bool kAligned>
__global__ void __launch_bounds__(kStatisticsThreads)
    statistics_kernel(const __grid_constant__ Parameters p) {
  using Layout = StatisticsLayout<T>;
  static_assert(Layout::kStripColumns == kStatisticsThreads);
  __shared__ float mean[kRunsOfPart][Layout::kStripColumns],
      squares[kRunsOfPart][Layout::kStripColumns];
  const std::uint32_t strips =
      (p.shape.columns + Layout::kStripColumns - 1) / Layout::kStripColumns;
  const std::uint32_t column = blockIdx.x % strips * Layout::kStripColumns;
  const std::uint32_t part_row = blockIdx.x / strips * BatchTopkWorkspace::kRowsOfPart;
  const std::uint32_t run = threadIdx.x / kWarpSize;
  const std::uint32_t lane = threadIdx.x % kWarpSize;
  const std::uint32_t first = min(part_row + run * kRowsOfRun, p.shape.rows);
  const std::uint32_t end = min(first + kRowsOfRun, p.shape.rows);
  let_next_grid_start();

  float run_mean[Layout::kKeys] = {};
  float run_squares[Layout::kKeys] = {};
  for (std::uint32_t row = first; row < end; row += kRowsAtOnce) {
    StatisticsWords<T> words[kRowsAtOnce];
#pragma unroll
    for (std::uint32_t i = 0; i < kRowsAtOnce; ++i)
      words[i] = load_strip<T, kAligned>(p, min(row + i, end - 1), column);
    const std::uint32_t rows = min(end - row, kRowsAtOnce);
    const auto count = static_cast<float>(rows);
    const auto before = static_cast<float>(row - first);
    const float share = count / (before + count);
#pragma unroll
    for (int key = 0; key < Layout::kKeys; ++key) {
      float sum = 0;
      float squares = 0;
#pragma unroll
      for (std::uint32_t i = 0; i < kRowsAtOnce; ++i)
        sum += i < rows ? to_float(words[i].key(key)) : 0.0F;
      const float mean_here = sum / count;
#pragma unroll
      for (std::uint32_t i = 0; i < kRowsAtOnce; ++i) {
        const float distance = i < rows ? to_float(words[i].key(key)) - mean_here : 0.0F;
        squares += distance * distance;
      }
      const float distance = mean_here - run_mean[key];
      run_mean[key] += distance * share;
      run_squares[key] += squares + distance * distance * (before * share);
    }
  }
#pragma unroll
  for (int key = 0; key < Layout::kKeys; ++key) {
    mean[run][Layout::column(lane, key)] = run_mean[key];
    squares[run][Layout::column(lane, key)] = run_squares[key];
  }
  __syncthreads();

  Moments moments;
  for (std::uint32_t i = 0; i < kRunsOfPart; ++i) {
    const std::uint32_t begin = min(part_row + i * kRowsOfRun, p.shape.rows);
    const std::uint32_t rows = min(begin + kRowsOfRun, p.shape.rows) - begin;
    moments.merge(rows, mean[i][threadIdx.x], squares[i][threadIdx.x]);
  }
  const std::uint32_t own = column + threadIdx.x;
  if (own < p.shape.columns)
    p.statistics[std::uint64_t{blockIdx.x / strips} * p.shape.columns + own] =
        make_float2(static_cast<float>(moments.mean), static_cast<float>(moments.squares));
}

// Merges the parts; any grid.
__device__ inline void merge_parts(const Parameters& p) {
  for (std::uint32_t column = blockIdx.x * blockDim.x + threadIdx.x; column < p.shape.columns;
       column += gridDim.x * blockDim.x) {
    Moments moments;
    for (std::uint32_t row = 0; row < p.shape.rows; row += BatchTopkWorkspace::kRowsOfPart) {
      const std::uint64_t part = row / BatchTopkWorkspace::kRowsOfPart;
      const float2 of_part = __ldcg(p.statistics + part * p.shape.columns + column);
      moments.merge(min(BatchTopkWorkspace::kRowsOfPart, p.shape.rows - row), of_part.x, of_part.y);
    }
    const double deviation = sqrt(moments.squares / (moments.count - 1));
    p.mean[column] = static_cast<float>(moments.mean);
    p.scale[column] = static_cast<float>(1.0 / (deviation + static_cast<double>(p.epsilon)));
  }
}

}  // namespace stepscope::kernels::batch_topk_device
