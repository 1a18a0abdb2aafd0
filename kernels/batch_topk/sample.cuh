// SPDX-License-Identifier: Apache-2.0
// The first kernels of a call: clear the workspace's counters, have the first keys on their way
// and, unless the bracket is known otherwise or the statistics sample, count a sample from which
// each block of the sweep chooses it (sample_bracket.cuh).
//
// A block has every 128th sector of the sample (sample_sectors.hpp), two lanes a sector. It hands
// on somewhat more of its keys than its share of rank K (sample_count.cuh).
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/batch_topk/lane_keys.cuh"
#include "kernels/batch_topk/moments.cuh"
#include "kernels/batch_topk/prepare.cuh"
#include "kernels/batch_topk/sample_bracket.cuh"
#include "kernels/batch_topk/sample_count.cuh"
#include "kernels/batch_topk/strip.cuh"
#include "kernels/common/async_copy.cuh"
#include "kernels/common/grid_sync.cuh"

namespace stepscope::kernels::batch_topk_device {

constexpr unsigned kPrepareBlocks = 64;  // at most, to clear
constexpr int kPrepareThreads = 256;

// What the memory can bring while the kernel that reads the keys is on its way. In calls that do
// not sample, more: 12 MB take 0.3 us off bf16 1024x49152 and 0.8 off fp32, 20 MB cost 1.6.
constexpr std::size_t kEarlyBytes = std::size_t{4} << 20;
constexpr std::size_t kEarlyWarmBytes = std::size_t{12} << 20;

__device__ inline void prefetch_first_keys(const EarlyKeys& early) {
  if (lane_index() != 0) return;
  const std::uint32_t warps = gridDim.x * (kPrepareThreads / kWarpSize);
  for (std::uint32_t i = warp_index() * gridDim.x + blockIdx.x; i < early.chunks; i += warps)
    prefetch_to_l2(early.first + i * early.step, EarlyKeys::kChunkBytes);
}

static __global__ void __launch_bounds__(kPrepareThreads)
    prepare_kernel(const __grid_constant__ Parameters p) {
  let_next_grid_start();
  static_assert(BatchTopkWorkspace::kStateBytes <= kPrepareThreads * sizeof(uint4));
  prefetch_first_keys(p.early);
  prepare_workspace(p);
  if (p.statistics == nullptr || p.part_shares == 1) return;
  wait_for_grid_before();
  for (std::uint32_t column = blockIdx.x * blockDim.x + threadIdx.x; column < p.shape.columns;
       column += gridDim.x * blockDim.x)
    merge_parts(p, column);
}

// The keys of a piece that begins at entry `first`; fewer at the end of the matrix.
template <class T>
struct Piece {
  static constexpr int kKeys = kPieceBytes / static_cast<int>(sizeof(T));
  LaneWords<T, 1> words{};
  int count = 0;

  template <bool kAligned>
  __device__ void load(const Parameters& p, std::int64_t first) {
    const T* from = static_cast<const T*>(p.keys) + first;
    const std::int64_t left = std::int64_t{p.shape.rows} * p.shape.columns - first;
    count = static_cast<int>(min(left, std::int64_t{kKeys}));
    if (kAligned && count == kKeys) {
      const uint4 four = __ldg(reinterpret_cast<const uint4*>(from));
      words.word[0] = four.x, words.word[1] = four.y;
      words.word[2] = four.z, words.word[3] = four.w;
    } else {
#pragma unroll
      for (int i = 0; i < kKeys; ++i)
        if (i < count) words.put(i, from[i]);
    }
  }
};

// Registers for as many blocks as a multiprocessor holds: those of 8.6, 8.9 and 12.0 hold 1,536
// threads, those of 8.0, 9.0 and 10.0 hold 2,048.
#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ % 100 != 0 || __CUDA_ARCH__ >= 1100)
constexpr int kSampleResident = 1536 / kSampleThreads;
#else
constexpr int kSampleResident = 2048 / kSampleThreads;
#endif

// One of kSampleBlocks parts of the sample, by a whole block of kSampleThreads.
template <class T, bool kAffine, bool kAligned>
class SamplePart {
 public:
  using Key = RankedAs<T, kAffine>;

  // The keys are under way when this returns.
  __device__ SamplePart(const Parameters& p, std::uint32_t part) : p_(p) {
    constexpr std::uint32_t kPiecesOfSector = kSectorBytes / kPieceBytes;
    const std::int64_t entries = std::int64_t{p.shape.rows} * p.shape.columns;
    const std::int64_t sectors =
        (entries * static_cast<std::int64_t>(sizeof(T)) + kSectorBytes - 1) / kSectorBytes;
    const std::int64_t sector =
        sampled_sector(threadIdx.x / kPiecesOfSector * std::int64_t{kSampleBlocks} + part, sectors);
    const std::int64_t first = (sector * kPiecesOfSector + threadIdx.x % kPiecesOfSector) * kKeys;
    if (sector >= 0 && first < entries) piece_.template load<kAligned>(p, first);
    if constexpr (kAffine)  // an aligned piece lies in one row
      first_column_ =
          place_of_entry(p, static_cast<std::uint64_t>(max(first, std::int64_t{0}))).column;
  }

  // Counts in the histogram, of kBins and all 0, and says what is to be handed on. Mean and scale
  // are known.
  __device__ void count(float deviations, std::uint32_t* histogram) {
#pragma unroll
    for (int i = 0; i < kKeys; ++i) {
      const auto column = [&] {
        const std::uint32_t at = first_column_ + static_cast<std::uint32_t>(i);
        return kAligned ? at : at % p_.shape.columns;
      };
      count_.ordered[i] =
          i < piece_.count ? ranked_key<T, kAffine>(p_, piece_.words.key(i), column).key : 0;
    }
    count_.count(p_, SampleRank(p_, kSampleThreads * kKeys, deviations).lower(), histogram);
  }
  __device__ void hand_on() const {
    count_.hand_on(p_);
  }

 private:
  static constexpr int kKeys = Piece<T>::kKeys;

  const Parameters& p_;
  Piece<T> piece_;
  std::uint32_t first_column_ = 0;
  SampleCount<Key, kSampleThreads, kKeys> count_;
};

template <class T, bool kAffine, bool kAligned>
__global__ void __launch_bounds__(kSampleThreads, kSampleResident)
    sample_kernel(const __grid_constant__ Parameters p) {
  __shared__ __align__(16) std::uint32_t histogram[kBins];
  let_next_grid_start();
  SamplePart<T, kAffine, kAligned> part(p, blockIdx.x);
  clear_histogram<kSampleThreads>(histogram);
  if constexpr (kAffine) wait_for_grid_before();  // for mean and scale
  part.count(kNarrow, histogram);
  wait_for_grid_before();
  part.hand_on();
}

}  // namespace stepscope::kernels::batch_topk_device
