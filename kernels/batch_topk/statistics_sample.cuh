// SPDX-License-Identifier: Apache-2.0
// The sample that the statistics' blocks count: a block that has whole columns knows their terms
// before any other does, and needs no read. A thread contributes one piece of 16 bytes a run, so
// each column one key a run. Blocks have neighbouring columns, whose keys may be great together, so
// each hands on several times its share.
#pragma once

#include <cstdint>

#include "kernels/batch_topk/lane_keys.cuh"
#include "kernels/batch_topk/limits.cuh"
#include "kernels/batch_topk/moments.cuh"
#include "kernels/batch_topk/sample_count.cuh"
#include "kernels/batch_topk/sample_sectors.hpp"

namespace stepscope::kernels::batch_topk_device {

// The rows that a block samples: of each run one, by a hash, and the pieces of those rows.
template <class T>
class SampledRow {
 public:
  using Layout = StatisticsLayout<T>;
  static constexpr std::uint32_t kNone = 0xffffffffU;

  __device__ SampledRow(const Parameters& p, uint4* pieces) : piece_(pieces + threadIdx.x) {
    constexpr std::uint32_t kRowsOfPart = BatchTopkWorkspace::kRowsOfPart;
    const std::uint32_t rows =
        p.shape.rows / kRowsOfPart * (kRowsOfPart / Layout::kRuns) +
        rows_of_run<T>(p.shape.rows % kRowsOfPart, threadIdx.x / Layout::kThreadsOfRow);
    const std::uint32_t hash = scrambled(blockIdx.x * kStatisticsThreads + threadIdx.x);
    if (rows > 0) at_ = __umulhi(hash, rows);
  }
  // Keeps the piece of the run's chosen row, if that row is in this batch of the ring.
  __device__ void keep(std::uint32_t part, std::uint32_t batch, const uint4* slots) const {
    const std::uint32_t first = part * kBatchesOfPart + batch;
    if (at_ / Layout::kRowsAtOnce == first)
      *piece_ = slots[at_ % Layout::kRowsAtOnce * kStatisticsThreads];
  }
  __device__ bool any() const { return at_ != kNone; }
  __device__ LaneWords<T, 1> words() const {
    LaneWords<T, 1> words;
    words.word[0] = piece_->x, words.word[1] = piece_->y;
    words.word[2] = piece_->z, words.word[3] = piece_->w;
    return words;
  }

 private:
  static constexpr std::uint32_t kBatchesOfPart =
      BatchTopkWorkspace::kRowsOfPart / Layout::kRowsOfBatch;

  uint4* const piece_;
  std::uint32_t at_ = kNone;  // among the run's rows of all parts
};

// Times the sample's rate that a block's may be, to be counted whole. 4 in its place would save
// 0.2 us, and miss the cut where a few strips have most of what is selected.
constexpr float kMostOfStrip = 16;

// Counts a sample, by a block that has `columns` columns, whose terms stand in shared memory, with
// a histogram of kBins.
template <class T>
__device__ inline void count_sampled(const Parameters& p, const SampledRow<T>& sampled,
                                     std::uint32_t columns, const float2* terms,
                                     std::uint32_t* histogram) {
  using Layout = StatisticsLayout<T>;
  constexpr int kKeys = static_cast<int>(Layout::kKeys);
  clear_histogram<kStatisticsThreads>(histogram);
  const std::uint32_t first = threadIdx.x % Layout::kThreadsOfRow * Layout::kKeys;
  const LaneWords<T, 1> words = sampled.words();
  SampleCount<float, kStatisticsThreads, kKeys> count;
#pragma unroll
  for (int key = 0; key < kKeys; ++key) {
    const float2 own = terms[first + key];
    const float ranked = affine_key(to_float(words.key(key)), own.x, own.y);
    const bool is_one = sampled.any() && first + key < columns;
    count.ordered[key] = is_one ? ordered_bits<float>(bits_of(ranked), p.nan) : 0;
  }
  const std::int64_t keys = std::int64_t{columns} * min(Layout::kRuns, p.shape.rows);
  count.count(p, SampleRank(p, keys, kNarrow).lower_of(kMostOfStrip), histogram);
  count.hand_on(p);
}

}  // namespace stepscope::kernels::batch_topk_device
