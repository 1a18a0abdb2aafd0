// SPDX-License-Identifier: Apache-2.0
// Mean and 1 / (standard deviation + epsilon) of each column, the same bits whatever the device and
// the other columns.
//
// A block reads parts of 1024 rows from the first one down, kRuns rows side by side; so all blocks
// move down together, and what they read last are the last rows. A thread sums the moments of its
// run in float, some rows at a time; runs and parts are merged in order (moments.cuh). So the order
// of additions is that of the rows and the type alone, however parts are given to blocks.
//
// Rows come through a ring of shared memory, each thread's own (strip_stream.cuh).
#pragma once

#include <cstdint>

#include "kernels/batch_topk/statistics_sample.cuh"
#include "kernels/common/async_copy.cuh"
#include "kernels/common/grid_sync.cuh"

namespace stepscope::kernels::batch_topk_device {

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
  __device__ void sum(std::uint32_t part, std::uint32_t batches, const SampledRow<T>& sampled) {
    for (std::uint32_t batch = 0; batch < Layout::kBatches; ++batch) copy(batch);
    for (std::uint32_t batch = 0; batch < batches; ++batch) {
      wait_for_copies<Layout::kBatches - 1>();
      LaneWords<T, 1> words[Layout::kRowsAtOnce];
      read(batch, words);
      sampled.keep(part, batch, slot(batch, 0));
      copy(batch + Layout::kBatches);
      const std::uint32_t before = batch * Layout::kRowsAtOnce;
      if (before + Layout::kRowsAtOnce <= rows_)
        add<true>(words, before, Layout::kRowsAtOnce);
      else if (before < rows_)
        add<false>(words, before, rows_ - before);
    }
    wait_for_copies<0>();
  }

  __device__ void store(RunMoments<T>& moments) const {
#pragma unroll
    for (int key = 0; key < kKeys; key += 4) {
      *reinterpret_cast<float4*>(&moments.mean[run()][lane_column() + key]) =
          make_float4(mean_[key], mean_[key + 1], mean_[key + 2], mean_[key + 3]);
      *reinterpret_cast<float4*>(&moments.squares[run()][lane_column() + key]) =
          make_float4(squares_[key], squares_[key + 1], squares_[key + 2], squares_[key + 3]);
    }
  }

 private:
  __device__ uint4* slot(std::uint32_t batch, std::uint32_t row) const {
    return slots_ + (batch % Layout::kBatches * Layout::kRowsAtOnce + row) * kStatisticsThreads;
  }
  __device__ void copy(std::uint32_t batch) {
#pragma unroll
    for (std::uint32_t i = 0; i < Layout::kRowsAtOnce; ++i) {
      if (left_ > 0 && batch * Layout::kRowsAtOnce + i < rows_) copy_piece(slot(batch, i));
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
  __device__ void read(std::uint32_t batch, LaneWords<T, 1> (&words)[Layout::kRowsAtOnce]) const {
#pragma unroll
    for (std::uint32_t i = 0; i < Layout::kRowsAtOnce; ++i) {
      const uint4 four = *slot(batch, i);
      words[i].word[0] = four.x, words[i].word[1] = four.y;
      words[i].word[2] = four.z, words[i].word[3] = four.w;
    }
  }
  // The next rows, `before` came before.
  template <bool kAll>
  __device__ void add(const LaneWords<T, 1> (&words)[Layout::kRowsAtOnce], std::uint32_t before,
                      std::uint32_t rows) {
    const float count = kAll ? Layout::kRowsAtOnce : static_cast<float>(rows);
    const float share = __fdiv_rn(count, static_cast<float>(before) + count);
    const float weight = static_cast<float>(before) * share;
#pragma unroll
    for (int key = 0; key < kKeys; ++key) {
      float sum = 0;
      float squares = 0;
#pragma unroll
      for (std::uint32_t i = 0; i < Layout::kRowsAtOnce; ++i)
        if (kAll || i < rows) sum += to_float(words[i].key(key));
      const float mean = kAll ? sum * (1.0F / Layout::kRowsAtOnce) : __fdiv_rn(sum, count);
#pragma unroll
      for (std::uint32_t i = 0; i < Layout::kRowsAtOnce; ++i) {
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

// What a block's shared memory is used for when the ring has been read.
template <class T>
struct StatisticsShared {
  RunMoments<T> runs;
  std::uint32_t histogram[kBins];
  float2 terms[kStatisticsColumns];
};
static_assert(sizeof(StatisticsShared<Bfloat16>) <= kStatisticsRingBytes);

// A block has some columns and, of the parts of the rows, every p.part_shares-th; where that is one
// share, it ends with its columns' mean and scale, and with their sample.
template <class T, bool kAligned>
__global__ void __launch_bounds__(kStatisticsThreads, 3)
    statistics_kernel(const __grid_constant__ Parameters p) {
  using Layout = StatisticsLayout<T>;
  extern __shared__ __align__(kRingAlignment) uint4 ring[];
  __shared__ uint4 pieces[kStatisticsThreads];
  __shared__ Moments moments[kStatisticsColumns];  // each thread's column: registers are short
  auto& shared = *reinterpret_cast<StatisticsShared<T>*>(ring);
  constexpr std::uint32_t kRowsOfPart = BatchTopkWorkspace::kRowsOfPart;
  const std::uint32_t strips = (p.shape.columns + kStatisticsColumns - 1) / kStatisticsColumns;
  const std::uint32_t first = blockIdx.x % strips * kStatisticsColumns;
  const std::uint32_t columns = min(kStatisticsColumns, p.shape.columns - first);
  const bool merges = threadIdx.x < columns;
  const std::uint32_t own = first + threadIdx.x;
  const SampledRow<T> sampled(p, pieces);
  let_next_grid_start();

  if (merges) moments[threadIdx.x] = Moments{};
  for (std::uint32_t part = blockIdx.x / strips; std::uint64_t{part} * kRowsOfPart < p.shape.rows;
       part += p.part_shares) {
    const std::uint32_t rows = min(kRowsOfPart, p.shape.rows - part * kRowsOfPart);
    RunSum<T, kAligned> run(p, part * kRowsOfPart, first, ring);
    run.sum(part, (rows + Layout::kRowsOfBatch - 1) / Layout::kRowsOfBatch, sampled);
    __syncthreads();  // the ring has been read
    run.store(shared.runs);
    __syncthreads();
    if (merges) {
      const float2 of_part = merge_runs<T>(shared.runs, threadIdx.x, rows);
      if (p.part_shares > 1)
        p.statistics[std::uint64_t{part} * p.shape.columns + own] = of_part;
      else
        moments[threadIdx.x].merge(rows, of_part.x, of_part.y);
    }
    __syncthreads();  // the runs' moments have been read
  }
  wait_for_grid_before();  // what comes behind waits for this grid alone
  if (p.part_shares > 1) return;
  if (merges) {
    shared.terms[threadIdx.x] = terms_of(p, moments[threadIdx.x]);
    write_terms(p, own, shared.terms[threadIdx.x]);
  }
  if (p.sampled_strips == 0 || !is_chosen(blockIdx.x, p.sampled_strips, strips)) return;
  count_sampled<T>(p, sampled, columns, shared.terms, shared.histogram);
}

}  // namespace stepscope::kernels::batch_topk_device
