// SPDX-License-Identifier: Apache-2.0
// Moments of columns (statistics.cuh): how a block's threads share columns and rows, and how what
// they summed becomes a column's mean and scale. A block has 128 columns and parts of 1024 rows. A
// thread has the columns of one piece of 16 bytes and every kRuns-th row, a run; runs, then parts,
// are merged in order.
#pragma once

#include <cstdint>

#include "kernels/batch_topk/state.cuh"

namespace stepscope::kernels::batch_topk_device {

constexpr int kStatisticsThreads = 256;
constexpr std::uint32_t kStatisticsColumns = 128;
constexpr std::uint32_t kRingRows = 16;  // rows of a thread's ring
constexpr std::size_t kStatisticsRingBytes = kRingRows * kStatisticsThreads * sizeof(uint4);

template <class T>
struct StatisticsLayout {
  static constexpr std::uint32_t kKeys = 16 / sizeof(T);  // a thread's keys in a row
  static constexpr std::uint32_t kThreadsOfRow = kStatisticsColumns / kKeys;
  static constexpr std::uint32_t kRuns = kStatisticsThreads / kThreadsOfRow;
  // Keys at once are 32 a thread, so that what is added where all have come is little.
  static constexpr std::uint32_t kRowsAtOnce = 32 / kKeys;
  static constexpr std::uint32_t kBatches = kRingRows / kRowsAtOnce;
  static constexpr std::uint32_t kRowsOfBatch = kRuns * kRowsAtOnce;
  static_assert(BatchTopkWorkspace::kRowsOfPart % kRowsOfBatch == 0);
};

// The moments of one part and all runs, in shared memory, which the ring has used before.
template <class T>
struct RunMoments {
  float mean[StatisticsLayout<T>::kRuns][kStatisticsColumns];
  // Sums of squared distances from the mean.
  float squares[StatisticsLayout<T>::kRuns][kStatisticsColumns];
};
static_assert(sizeof(RunMoments<Bfloat16>) <= kStatisticsRingBytes);

struct Moments {
  double count, mean, squares;

  __device__ void merge(double other_count, double other_mean, double other_squares) {
    if (other_count == 0) return;
    if (count == 0) {
      count = other_count, mean = other_mean, squares = other_squares;
      return;
    }
    const double all = count + other_count;
    const double distance = other_mean - mean;
    mean += distance * (other_count / all);
    squares += other_squares + distance * distance * (count * other_count / all);
    count = all;
  }
};

// Returns how many of a part's `rows` rows belong to a run; the runs' first rows are rows 0, 1, ...
// of the part.
template <class T>
__device__ inline std::uint32_t rows_of_run(std::uint32_t rows, std::uint32_t run) {
  constexpr std::uint32_t kRuns = StatisticsLayout<T>::kRuns;
  return rows > run ? (rows - run + kRuns - 1) / kRuns : 0;
}

// Merges the runs of one column and a part of `rows` rows. Distances are from the first run's mean;
// they are small where a column's numbers are, so that floats do; where two means lie further apart
// than floats reach, the column's terms are NaN.
template <class T>
__device__ inline float2 merge_runs(const RunMoments<T>& moments, std::uint32_t column,
                                    std::uint32_t rows) {
  constexpr std::uint32_t kRuns = StatisticsLayout<T>::kRuns;
  const float share = __fdiv_rn(1.0F, static_cast<float>(rows));
  const float first = moments.mean[0][column];
  const auto count = [&](std::uint32_t run) {
    return static_cast<float>(rows_of_run<T>(rows, run));
  };
  float distances[kRuns];
  float distance = 0;
  float squares = 0;
#pragma unroll
  for (std::uint32_t run = 0; run < kRuns; ++run) {
    distances[run] = count(run) > 0 ? moments.mean[run][column] - first : 0;
    distance += count(run) * share * distances[run];
    squares += moments.squares[run][column];
  }
#pragma unroll
  for (std::uint32_t run = 0; run < kRuns; ++run) {
    const float from_mean = distances[run] - distance;
    squares += count(run) * from_mean * from_mean;
  }
  return make_float2(first + distance, squares);
}

// Mean and scale.
__device__ inline float2 terms_of(const Parameters& p, const Moments& moments) {
  const double deviation = sqrt(moments.squares / (moments.count - 1));
  return make_float2(static_cast<float>(moments.mean),
                     static_cast<float>(1.0 / (deviation + static_cast<double>(p.epsilon))));
}
__device__ inline void write_terms(const Parameters& p, std::uint32_t column, float2 terms) {
  p.mean[column] = terms.x;
  p.scale[column] = terms.y;
}

// Merges the parts of a column to its mean and scale.
__device__ inline void merge_parts(const Parameters& p, std::uint32_t column) {
  Moments moments{};
  for (std::uint32_t row = 0; row < p.shape.rows; row += BatchTopkWorkspace::kRowsOfPart) {
    const std::uint64_t part = row / BatchTopkWorkspace::kRowsOfPart;
    const float2 of_part = __ldcg(p.statistics + part * p.shape.columns + column);
    moments.merge(min(BatchTopkWorkspace::kRowsOfPart, p.shape.rows - row), of_part.x, of_part.y);
  }
  write_terms(p, column, terms_of(p, moments));
}

}  // namespace stepscope::kernels::batch_topk_device
