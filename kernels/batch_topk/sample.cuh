// SPDX-License-Identifier: Apache-2.0
// The first kernels of a call: clear the workspace's counters and, unless the bracket is known
// otherwise, guess it from a sample.
//
// The matrix's 32-byte sectors are cut into 2^16 equal runs, and of each run one sector, chosen by
// a hash, is read: every row has its share, and no period of the columns is followed. The least and
// the greatest key of the bracket are those of the sample's ranks K +- 8 standard deviations of a
// sample of independent keys, widened to whole bins of 14 bits.
#pragma once

#include <cstdint>

#include "kernels/batch_topk/lane_keys.cuh"
#include "kernels/batch_topk/state.cuh"
#include "kernels/batch_topk/statistics.cuh"
#include "kernels/common/block_scan.cuh"
#include "kernels/common/grid_sync.cuh"

namespace stepscope::kernels::batch_topk_device {

constexpr int kPrepareThreads = 256;

// Block 0 writes the state, the others clear the histograms.
static __global__ void __launch_bounds__(kPrepareThreads)
    prepare_kernel(const __grid_constant__ Parameters p) {
  let_next_grid_start();
  const std::size_t words = p.zeroed_bytes / sizeof(uint4);
  for (std::size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < words;
       i += gridDim.x * blockDim.x)
    static_cast<uint4*>(p.zeroed)[i] = uint4{};
  static_assert(BatchTopkWorkspace::kStateBytes <= kPrepareThreads * sizeof(uint4));
  __syncthreads();  // block 0 has cleared the state, which lies first
  if (p.statistics != nullptr) {
    wait_for_grid_before();
    merge_parts(p);
  }
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  if (p.warm_start != nullptr && !p.from_scratch) {
    const std::uint32_t low = max(p.warm_start->low, p.floor);
    p.state->guessed.bracket = bracket_of_keys(low, max(low, p.warm_start->high), p.place_bits);
  }
  const int key_bits = p.ranked_type == KeyType::float32 ? 32 : 16;
  p.state->range = {0, key_bits, 0, p.place_bits, p.count, 0};
}

constexpr int kSampleThreads = 512;
constexpr int kSampleBlocks = 128;
constexpr std::int64_t kSampledSectors = std::int64_t{kSampleThreads} * kSampleBlocks;
constexpr int kSampleBinBits = 14;
constexpr std::uint32_t kSampleBins = BatchTopkWorkspace::kSampleBins;
static_assert(kSampleBins == 1U << kSampleBinBits);
constexpr int kSectorBytes = 32;

__device__ inline std::uint32_t scrambled(std::uint32_t value) {
  value = (value ^ value >> 16) * 0x7feb352dU;
  value = (value ^ value >> 15) * 0x846ca68bU;
  return value ^ value >> 16;
}

// The sector of run i, or -1.
__device__ inline std::int64_t sampled_sector(std::int64_t i, std::int64_t sectors) {
  if (sectors <= kSampledSectors) return i < sectors ? i : -1;
  const std::int64_t begin = i * sectors / kSampledSectors;
  const std::int64_t end = (i + 1) * sectors / kSampledSectors;
  return begin + scrambled(static_cast<std::uint32_t>(i)) % static_cast<std::uint32_t>(end - begin);
}

// keys[count] of a sector that begins at entry `first`; fewer at the end of the matrix.
template <class T, bool kAligned>
__device__ inline int load_sector(const Parameters& p, std::int64_t first,
                                  T (&keys)[kSectorBytes / sizeof(T)]) {
  constexpr int kKeys = kSectorBytes / static_cast<int>(sizeof(T));
  const T* from = static_cast<const T*>(p.keys) + first;
  const std::int64_t left = std::int64_t{p.shape.rows} * p.shape.columns - first;
  if (kAligned && left >= kKeys) {
    memcpy(keys, __builtin_assume_aligned(from, 16), sizeof keys);
    return kKeys;
  }
#pragma unroll
  for (int i = 0; i < kKeys; ++i) keys[i] = i < left ? from[i] : T{};
  return static_cast<int>(min(left, std::int64_t{kKeys}));
}

template <class T, bool kAffine>
__device__ inline std::uint32_t sampled_key(const Parameters& p, T key, std::int64_t entry) {
  if constexpr (kAffine) {
    const std::int64_t column = entry % p.shape.columns;
    return ordered_key(__fmul_rn(__fsub_rn(to_float(key), p.mean[column]), p.scale[column]), p.nan);
  } else {
    return ordered_key(key, p.nan);
  }
}

// The bracket between two ranks of the sample. Called by one whole block.
template <class Key>
__device__ inline void choose_bracket(const Parameters& p) {
  constexpr int kPerThread = static_cast<int>(kSampleBins) / kSampleThreads;
  constexpr int kShift = OrderedTraits<Key>::kBits - kSampleBinBits;
  std::uint32_t counts[kPerThread];
  const auto* bins = reinterpret_cast<const uint4*>(p.sample_histogram + threadIdx.x * kPerThread);
#pragma unroll
  for (int i = 0; i < kPerThread / 4; ++i) {
    const uint4 four = __ldcg(bins + i);
    counts[4 * i] = four.x, counts[4 * i + 1] = four.y;
    counts[4 * i + 2] = four.z, counts[4 * i + 3] = four.w;
  }
  std::int64_t total = 0;
  std::int64_t own = 0;
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) own += counts[i];
  block_sum_above<kSampleThreads>(own, &total);
  const double entries = static_cast<double>(p.shape.rows) * static_cast<double>(p.shape.columns);
  const double share = static_cast<double>(p.count) / entries;
  const double rank = share * static_cast<double>(total);
  const double margin = 8 * sqrt(rank * (1 - share)) + 8;
  const auto high_rank = static_cast<std::int64_t>(rank - margin);
  const auto low_rank = static_cast<std::int64_t>(rank + margin) + 1;
  const ChosenBin high =
      block_choose_bin<kSampleThreads>(counts, max(high_rank, std::int64_t{1}), &total);
  const ChosenBin low = block_choose_bin<kSampleThreads>(counts, low_rank, &total);
  if (threadIdx.x != 0) return;
  const std::uint32_t least = low_rank <= total ? max(low.bin << kShift, p.floor) : p.floor;
  const std::uint32_t greatest =
      high_rank >= 1 ? (high.bin << kShift) | ((1U << kShift) - 1U) : OrderedTraits<Key>::kAll;
  p.state->guessed.bracket = bracket_of_keys(least, max(least, greatest), p.place_bits);
}

template <class T, bool kAffine, bool kAligned>
__global__ void __launch_bounds__(kSampleThreads)
    sample_kernel(const __grid_constant__ Parameters p) {
  using Key = std::conditional_t<kAffine, float, T>;
  constexpr int kKeys = kSectorBytes / static_cast<int>(sizeof(T));
  extern __shared__ uint4 dynamic[];
  auto* const histogram = reinterpret_cast<std::uint32_t*>(dynamic);
  let_next_grid_start();
  if constexpr (kAffine) wait_for_grid_before();  // for mean and scale

  const std::int64_t entries = std::int64_t{p.shape.rows} * p.shape.columns;
  const std::int64_t sectors = (entries + kKeys - 1) / kKeys;
  const std::int64_t sector =
      sampled_sector(blockIdx.x * std::int64_t{kSampleThreads} + threadIdx.x, sectors);
  T keys[kKeys];
  const int count = sector >= 0 ? load_sector<T, kAligned>(p, sector * kKeys, keys) : 0;

  for (std::uint32_t i = threadIdx.x; i < kSampleBins / 4; i += kSampleThreads)
    dynamic[i] = uint4{};
  __syncthreads();
#pragma unroll
  for (int i = 0; i < kKeys; ++i)
    if (i < count) {
      const std::uint32_t key = sampled_key<T, kAffine>(p, keys[i], sector * kKeys + i);
      atomicAdd(&histogram[key >> (OrderedTraits<Key>::kBits - kSampleBinBits)], 1U);
    }
  __syncthreads();

  wait_for_grid_before();
  for (std::uint32_t bin = threadIdx.x; bin < kSampleBins; bin += kSampleThreads)
    if (histogram[bin] > 0) atomicAdd(&p.sample_histogram[bin], histogram[bin]);
  if (is_last_block(&p.state->sample_arrived, gridDim.x)) choose_bracket<Key>(p);
}

}  // namespace stepscope::kernels::batch_topk_device
