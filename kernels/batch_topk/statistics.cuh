// SPDX-License-Identifier: Apache-2.0
// Mean and 1 / (standard deviation + epsilon) of each column, the same bits whatever the device and
// the other columns.
//
// A block has 128 columns and reads parts of 1024 rows from the first one down, kRuns rows side by
// side; so all blocks move down together, and what they read last are the last rows. A thread has
// the columns of one piece of 16 bytes and every kRuns-th row, a run, whose moments it sums in
// float, eight rows at a time. A part's runs, then parts, are merged in order, in double. So the
// order of additions is that of the rows and the type alone, however parts are given to blocks.
//
// Rows come through a ring of shared memory, each thread's own (strip_stream.cuh).
#pragma once

#include <cstdint>

#include "kernels/batch_topk/lane_keys.cuh"
#include "kernels/batch_topk/prepare.cuh"
#include "kernels/batch_topk/state.cuh"
#include "kernels/common/async_copy.cuh"

namespace stepscope::kernels::batch_topk_device {

constexpr int kStatisticsThreads = 256;
constexpr std::uint32_t kStatisticsColumns = 128;
constexpr std::uint32_t kRowsAtOnce = 8;
constexpr std::uint32_t kStatisticsBatches = 2;  // of kRowsAtOnce rows, in the ring
constexpr std::size_t kStatisticsRingBytes =
    kStatisticsBatches * kRowsAtOnce * kStatisticsThreads * sizeof(uint4);

template <class T>
struct StatisticsLayout {
  static constexpr std::uint32_t kKeys = 16 / sizeof(T);  // of a thread, in a row
  static constexpr std::uint32_t kThreadsOfRow = kStatisticsColumns / kKeys;
  static constexpr std::uint32_t kRuns = kStatisticsThreads / kThreadsOfRow;
  static constexpr std::uint32_t kRowsOfBatch = kRuns * kRowsAtOnce;
  static_assert(BatchTopkWorkspace::kRowsOfPart % kRowsOfBatch == 0);
};

// Of one part and all runs, in shared memory, behind the ring's use of it.
template <class T>
struct RunMoments {
  float mean[StatisticsLayout<T>::kRuns][kStatisticsColumns];
  float squares[StatisticsLayout<T>::kRuns][kStatisticsColumns];  // of the distances from the mean
};
static_assert(sizeof(RunMoments<Bfloat16>) <= kStatisticsRingBytes);

struct Moments {
  double count = 0, mean = 0, squares = 0;

  __device__ void merge(double other_count, double other_mean, double other_squares) {
    if (other_count == 0) return;
    const double all = count + other_count;
    const double distance = other_mean - mean;
    mean += distance * (other_count / all);
    squares += other_squares + distance * distance * (count * other_count / all);
    count = all;
  }
};

// Of a part of `rows` rows, those of a run; the runs' first rows are rows 0, 1, ... of the part.
template <class T>
__device__ inline std::uint32_t rows_of_run(std::uint32_t rows, std::uint32_t run) {
  constexpr std::uint32_t kRuns = StatisticsLayout<T>::kRuns;
  return rows > run ? (rows - run + kRuns - 1) / kRuns : 0;
}

// A thread's run of one part.
template <class T, bool kAligned>
class RunSum {
 public:
  using Layout = StatisticsLayout<T>;
  static constexpr int kKeys = static_cast<int>(Layout::kKeys);

  // first: of the block's columns; ring: the block's.
  __device__ RunSum(const Parameters& p, std::uint32_t part_row, std::uint32_t first, uint4* ring)
      : slots_(ring + threadIdx.x),
        columns_(p.shape.columns),
        rows_(
            rows_of_run<T>(min(BatchTopkWorkspace::kRowsOfPart, p.shape.rows - part_row), run())) {
    const std::uint32_t column = first + lane_column();
    left_ = column < columns_ ? columns_ - column : 0;
    from_ = static_cast<const T*>(p.keys) + (std::uint64_t{part_row + run()} * columns_ + column);
  }

  __device__ static std::uint32_t run() { return threadIdx.x / Layout::kThreadsOfRow; }
  __device__ static std::uint32_t lane_column() {
    return threadIdx.x % Layout::kThreadsOfRow * Layout::kKeys;
  }

  // Sums the run; batches: enough for each run of the block.
  __device__ void sum(std::uint32_t batches) {
    for (std::uint32_t batch = 0; batch < kStatisticsBatches; ++batch) copy(batch);
    for (std::uint32_t batch = 0; batch < batches; ++batch) {
      wait_for_copies<kStatisticsBatches - 1>();
      LaneWords<T, 1> words[kRowsAtOnce];
      read(batch, words);
      copy(batch + kStatisticsBatches);
      const std::uint32_t before = batch * kRowsAtOnce;
      if (before + kRowsAtOnce <= rows_)
        add<true>(words, before, kRowsAtOnce);
      else if (before < rows_)
        add<false>(words, before, rows_ - before);
    }
    wait_for_copies<0>();
  }

  __device__ void store(RunMoments<T>& moments) const {
#pragma unroll
    for (int key = 0; key < kKeys; ++key) {
      moments.mean[run()][lane_column() + key] = mean_[key];
      moments.squares[run()][lane_column() + key] = squares_[key];
    }
  }

 private:
  __device__ uint4* slot(std::uint32_t batch, std::uint32_t row) const {
    return slots_ + (batch % kStatisticsBatches * kRowsAtOnce + row) * kStatisticsThreads;
  }
  __device__ void copy(std::uint32_t batch) {
#pragma unroll
    for (std::uint32_t i = 0; i < kRowsAtOnce; ++i) {
      if (left_ > 0 && batch * kRowsAtOnce + i < rows_) copy_piece(slot(batch, i));
      from_ += std::uint64_t{columns_} * Layout::kRuns;
    }
    close_copy_group();
  }
  __device__ void copy_piece(uint4* to) const {
    if constexpr (kAligned) {
      copy_async(to, from_);
    } else {
      LaneWords<T, 1> words{};
#pragma unroll
      for (int key = 0; key < kKeys; ++key)
        if (static_cast<std::uint32_t>(key) < left_) words.put(key, from_[key]);
      *to = uint4{words.word[0], words.word[1], words.word[2], words.word[3]};
    }
  }
  __device__ void read(std::uint32_t batch, LaneWords<T, 1> (&words)[kRowsAtOnce]) const {
#pragma unroll
    for (std::uint32_t i = 0; i < kRowsAtOnce; ++i) {
      const uint4 four = *slot(batch, i);
      words[i].word[0] = four.x, words[i].word[1] = four.y;
      words[i].word[2] = four.z, words[i].word[3] = four.w;
    }
  }
  // The next rows, `before` came before.
  template <bool kAll>
  __device__ void add(const LaneWords<T, 1> (&words)[kRowsAtOnce], std::uint32_t before,
                      std::uint32_t rows) {
    const float count = kAll ? kRowsAtOnce : static_cast<float>(rows);
    const float share = __fdiv_rn(count, static_cast<float>(before) + count);
    const float weight = static_cast<float>(before) * share;
#pragma unroll
    for (int key = 0; key < kKeys; ++key) {
      float sum = 0;
      float squares = 0;
#pragma unroll
      for (std::uint32_t i = 0; i < kRowsAtOnce; ++i)
        if (kAll || i < rows) sum += to_float(words[i].key(key));
      const float mean = kAll ? sum * (1.0F / kRowsAtOnce) : __fdiv_rn(sum, count);
#pragma unroll
      for (std::uint32_t i = 0; i < kRowsAtOnce; ++i) {
        const float distance = to_float(words[i].key(key)) - mean;
        if (kAll || i < rows) squares += distance * distance;
      }
      const float distance = mean - mean_[key];
      mean_[key] += distance * share;
      squares_[key] += squares + distance * distance * weight;
    }
  }

  uint4* const slots_;
  const std::uint32_t columns_, rows_;
  std::uint32_t left_;  // columns from the thread's first on
  const T* from_;       // the thread's keys of the row to copy next
  float mean_[Layout::kKeys] = {}, squares_[Layout::kKeys] = {};
};

// Of one column and a part of `rows` rows.
template <class T>
__device__ inline float2 merge_runs(const RunMoments<T>& moments, std::uint32_t column,
                                    std::uint32_t rows) {
  double sum = 0;
  double squares = 0;
#pragma unroll
  for (std::uint32_t run = 0; run < StatisticsLayout<T>::kRuns; ++run)
    sum += static_cast<double>(rows_of_run<T>(rows, run)) * moments.mean[run][column];
  const double mean = sum / rows;
#pragma unroll
  for (std::uint32_t run = 0; run < StatisticsLayout<T>::kRuns; ++run) {
    const double distance = moments.mean[run][column] - mean;
    squares += moments.squares[run][column] +
               distance * distance * static_cast<double>(rows_of_run<T>(rows, run));
  }
  return make_float2(static_cast<float>(mean), static_cast<float>(squares));
}

__device__ inline void write_column(const Parameters& p, std::uint32_t column,
                                    const Moments& moments) {
  const double deviation = sqrt(moments.squares / (moments.count - 1));
  p.mean[column] = static_cast<float>(moments.mean);
  p.scale[column] = static_cast<float>(1.0 / (deviation + static_cast<double>(p.epsilon)));
}

// From the parts of a column to its mean and scale.
__device__ inline void merge_parts(const Parameters& p, std::uint32_t column) {
  Moments moments;
  for (std::uint32_t row = 0; row < p.shape.rows; row += BatchTopkWorkspace::kRowsOfPart) {
    const std::uint64_t part = row / BatchTopkWorkspace::kRowsOfPart;
    const float2 of_part = __ldcg(p.statistics + part * p.shape.columns + column);
    moments.merge(min(BatchTopkWorkspace::kRowsOfPart, p.shape.rows - row), of_part.x, of_part.y);
  }
  write_column(p, column, moments);
}

// A block has some columns and, of the parts of the rows, every p.part_shares-th; where that is one
// share, it ends with its columns' mean and scale, and the grid does what prepare_kernel would.
template <class T, bool kAligned>
__global__ void __launch_bounds__(kStatisticsThreads, 3)
    statistics_kernel(const __grid_constant__ Parameters p) {
  using Layout = StatisticsLayout<T>;
  extern __shared__ __align__(kRingAlignment) uint4 ring[];
  auto& runs = *reinterpret_cast<RunMoments<T>*>(ring);
  constexpr std::uint32_t kRowsOfPart = BatchTopkWorkspace::kRowsOfPart;
  const std::uint32_t strips = (p.shape.columns + kStatisticsColumns - 1) / kStatisticsColumns;
  const std::uint32_t first = blockIdx.x % strips * kStatisticsColumns;
  const std::uint32_t own = first + threadIdx.x;
  const bool merges = threadIdx.x < kStatisticsColumns && own < p.shape.columns;
  let_next_grid_start();

  Moments moments;  // of the thread's column
  for (std::uint32_t part = blockIdx.x / strips; std::uint64_t{part} * kRowsOfPart < p.shape.rows;
       part += p.part_shares) {
    const std::uint32_t rows = min(kRowsOfPart, p.shape.rows - part * kRowsOfPart);
    RunSum<T, kAligned> run(p, part * kRowsOfPart, first, ring);
    run.sum((rows + Layout::kRowsOfBatch - 1) / Layout::kRowsOfBatch);
    __syncthreads();  // the ring has been read
    run.store(runs);
    __syncthreads();
    if (merges) {
      const float2 of_part = merge_runs<T>(runs, threadIdx.x, rows);
      if (p.part_shares > 1)
        p.statistics[std::uint64_t{part} * p.shape.columns + own] = of_part;
      else
        moments.merge(rows, of_part.x, of_part.y);
    }
    __syncthreads();  // the runs' moments have been read
  }
  if (p.part_shares > 1) return;
  if (merges) write_column(p, own, moments);
  if (p.state != nullptr) prepare_workspace(p);
}

}  // namespace stepscope::kernels::batch_topk_device
