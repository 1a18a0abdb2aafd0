// SPDX-License-Identifier: Apache-2.0
// One read of the matrix with a bracket: the bits of the keys above it go into the mask, the keys
// within become candidates, and both are counted.
//
// A warp gathers its candidates in shared memory as they come, and moves them on 32 at a time: then
// all lanes have one to encode, and the counter of all is touched once for 32, and once more a
// block at the end for what is left.
#pragma once

#include <cstdint>

#include "kernels/batch_topk/strip_stream.cuh"
#include "kernels/common/grid_sync.cuh"

namespace stepscope::kernels::batch_topk_device {

constexpr std::uint32_t kStaged = 2 * kWarpSize;

struct SweepShared {
  std::uint32_t histogram[kBins];
  std::uint32_t bits[kWarps][kStaged], row[kWarps][kStaged], column[kWarps][kStaged];
  std::uint32_t staged[kWarps];
  unsigned long long base;
};

// A block's candidates on their way out. All functions are called by whole warps.
template <class Key>
class CandidateSink {
 public:
  __device__ CandidateSink(const Parameters& p, Collection& collection, SweepShared& shared)
      : p_(p),
        coding_{collection.bracket.low, p.place_bits},
        first_code_(collection.bracket.first_code),
        digit_shift_(collection.bracket.digit_shift),
        count_of_all_(collection.candidates),
        shared_(shared) {
    for (std::uint32_t bin = threadIdx.x; bin < kBins; bin += kThreads) shared_.histogram[bin] = 0;
    __syncthreads();
  }

  __device__ void push(bool has, std::uint32_t bits, std::uint32_t row, std::uint32_t column) {
    const unsigned pushing = __ballot_sync(kAllLanes, has);
    if (has) {
      const std::uint32_t at = count_ + static_cast<std::uint32_t>(__popc(pushing & lanes_below()));
      shared_.bits[warp_index()][at] = bits;
      shared_.row[warp_index()][at] = row;
      shared_.column[warp_index()][at] = column;
    }
    count_ += static_cast<std::uint32_t>(__popc(pushing));
    if (count_ >= kWarpSize) move_warp_out();
  }

  // Called once, by the whole block.
  __device__ void finish() {
    if (lane_index() == 0) shared_.staged[warp_index()] = count_;
    __syncthreads();
    std::uint32_t before = 0;
    std::uint32_t all = 0;
    for (std::uint32_t i = 0; i < kWarps; ++i) {
      if (i < warp_index()) before += shared_.staged[i];
      all += shared_.staged[i];
    }
    if (threadIdx.x == 0 && all > 0) shared_.base = atomicAdd(&count_of_all_, all);
    __syncthreads();
    if (lane_index() < count_) put(shared_.base + before + lane_index(), lane_index());
    __syncthreads();
    for (std::uint32_t bin = threadIdx.x; bin < kBins; bin += kThreads)
      if (shared_.histogram[bin] > 0)
        atomicAdd(&p_.candidate_histogram[bin], shared_.histogram[bin]);
  }

 private:
  __device__ static unsigned lanes_below() { return (1U << lane_index()) - 1U; }

  __device__ void put(unsigned long long at, std::uint32_t staged) {
    if (at >= p_.capacity) return;
    const std::uint32_t key = ordered_bits<Key>(shared_.bits[warp_index()][staged], p_.nan);
    const std::int64_t place = place_of(shared_.row[warp_index()][staged],
                                        shared_.column[warp_index()][staged], p_.shape.rows);
    const std::uint64_t code = coding_.encode(key, place);
    p_.candidates[at] = code;
    atomicAdd(&shared_.histogram[(code - first_code_) >> digit_shift_], 1U);
  }

  __device__ void move_warp_out() {
    __syncwarp();
    if (!full_) {
      unsigned long long base = 0;
      if (lane_index() == 0)
        base = atomicAdd(&count_of_all_, static_cast<unsigned long long>(kWarpSize));
      base = __shfl_sync(kAllLanes, base, 0);
      put(base + lane_index(), lane_index());
      full_ = base >= p_.capacity;  // the count says so to all: no more need be known
    }
    count_ -= kWarpSize;
    const std::uint32_t from = lane_index() + kWarpSize;
    const bool moves = lane_index() < count_;
    std::uint32_t bits = 0;
    std::uint32_t row = 0;
    std::uint32_t column = 0;
    if (moves) {
      bits = shared_.bits[warp_index()][from];
      row = shared_.row[warp_index()][from];
      column = shared_.column[warp_index()][from];
    }
    __syncwarp();
    if (moves) {
      shared_.bits[warp_index()][lane_index()] = bits;
      shared_.row[warp_index()][lane_index()] = row;
      shared_.column[warp_index()][lane_index()] = column;
    }
    __syncwarp();
  }

  const Parameters& p_;
  const CandidateCode coding_;
  const std::uint64_t first_code_;
  const int digit_shift_;
  unsigned long long& count_of_all_;
  SweepShared& shared_;
  std::uint32_t count_ = 0;
  bool full_ = false;
};

template <class T, bool kAffine>
class Sweep {
 public:
  using Keys = LaneKeys<T, kAffine>;
  using Layout = LaneLayout<T, kAffine>;

  __device__ Sweep(const Parameters& p, Collection& collection, bool count_nan, SweepShared& shared)
      : p_(p),
        collection_(collection),
        limits_(Keys::limits(collection.bracket.low, collection.bracket.high)),
        plain_(limits_.exact && collection.bracket.all_places),
        sink_(p, collection, shared),
        count_nan_(count_nan) {}

  __device__ void visit(const Walk& at, const LaneWords<T, kAffine>& words) {
    const Keys keys(words,
                    terms_.at(p_.mean, p_.scale, at.column(), p_.shape.columns, lane_index()));
    const std::uint32_t valid =
        valid_keys<T, kAffine>(p_.shape.columns - at.column(), lane_index());
    Classes classes = keys.classify(limits_);
    classes.above &= valid;
    classes.unclear &= valid;
    while (__any_sync(kAllLanes, classes.unclear != 0)) look_at_one(at, keys, classes);
    above_ += static_cast<std::uint32_t>(__popc(classes.above));
    const std::uint32_t byte = at.column() / 8;
    store_bits<T, kAffine>(p_.mask + std::uint64_t{at.row()} * p_.mask_row_bytes + byte,
                           p_.mask_row_bytes - byte, classes.above, lane_index());
  }

  // Called once, by the whole block.
  __device__ void finish() {
    sink_.finish();
    const auto above = warp_sum(static_cast<unsigned long long>(above_));
    const auto nan = warp_sum(static_cast<unsigned long long>(nan_));
    if (lane_index() != 0) return;
    if (above > 0) atomicAdd(&collection_.above, above);
    if (nan > 0 && count_nan_) atomicAdd(&p_.state->nan_count, nan);
  }

 private:
  // The lowest unclear key of each lane that has one.
  __device__ void look_at_one(const Walk& at, const Keys& keys, Classes& classes) {
    bool candidate = classes.unclear != 0;
    const int i = candidate ? __ffs(static_cast<int>(classes.unclear)) - 1 : 0;
    classes.unclear &= classes.unclear - 1;
    const std::uint32_t bits = keys.bits(i);
    const std::uint32_t column = at.column() + Layout::column(lane_index(), i);
    if (candidate && (!plain_ || is_nan_bits<typename Keys::Key>(bits))) {
      const bool above = decide(bits, at.row(), column, &candidate);
      classes.above |= above ? 1U << i : 0U;
    }
    sink_.push(candidate, bits, at.row(), column);
  }

  // The long way: NaN, brackets whose ends are no numbers, and brackets of places.
  __device__ bool decide(std::uint32_t bits, std::uint32_t row, std::uint32_t column,
                         bool* candidate) {
    const Bracket& bracket = collection_.bracket;
    if (is_nan_bits<typename Keys::Key>(bits)) ++nan_;
    const std::uint32_t key = ordered_bits<typename Keys::Key>(bits, p_.nan);
    *candidate = false;
    if (key > bracket.high) return true;
    if (key < bracket.low || !bracket.encodable) return false;
    const std::uint64_t code =
        CandidateCode{bracket.low, p_.place_bits}.encode(key, place_of(row, column, p_.shape.rows));
    if (code > bracket.last_code) return true;
    *candidate = code >= bracket.first_code;
    return false;
  }

  const Parameters& p_;
  Collection& collection_;
  const typename Keys::Limits limits_;
  const bool plain_;
  CandidateSink<typename Keys::Key> sink_;
  TermsOfStrip<T, kAffine> terms_;
  std::uint32_t above_ = 0, nan_ = 0;
  const bool count_nan_;
};

template <class T, bool kAffine, bool kAligned>
__global__ void __launch_bounds__(kThreads, 2) sweep_kernel(const __grid_constant__ Parameters p) {
  extern __shared__ uint4 ring[];
  __shared__ SweepShared shared;
  let_next_grid_start();
  const Walk walk(p.shape, blockIdx.x, gridDim.x, warp_index());
  StripStream<T, kAffine, kAligned> stream(p, walk, ring);
  wait_for_grid_before();
  Sweep<T, kAffine> sweep(p, p.state->guessed, /*count_nan=*/true, shared);
  stream.run(walk, [&](const Walk& at, const auto& words) { sweep.visit(at, words); });
  sweep.finish();
}

}  // namespace stepscope::kernels::batch_topk_device
