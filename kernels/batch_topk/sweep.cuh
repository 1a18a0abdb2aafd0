// SPDX-License-Identifier: Apache-2.0
// One read of the matrix with a bracket: the bits of the keys above it go into the mask, the keys
// within become candidates, and both are counted.
//
// What a strip of many keys costs is what all lanes do each time, so candidates take a side way: a
// lane that has some leaves its keys and which of them are meant in a list of its warp, in shared
// memory. When the list is full, and once more a block at the end, all lanes take one entry of the
// list each, look at its keys closely and write the candidates out; the counter of all is touched
// once for that.
#pragma once

#include <cstdint>

#include "kernels/batch_topk/limits.cuh"
#include "kernels/batch_topk/ranked_key.cuh"
#include "kernels/batch_topk/refine.cuh"
#include "kernels/batch_topk/strip_stream.cuh"
#include "kernels/common/grid_sync.cuh"

namespace stepscope::kernels::batch_topk_device {

constexpr int kListedWords = 8;  // 32 bytes of keys of a lane

// Of one warp.
struct UnclearList {
  std::uint64_t entry[kWarpSize];  // the number of the lane's first key
  std::uint32_t word[kListedWords][kWarpSize];
  std::uint32_t unclear[kWarpSize];  // a bit a key
};

struct SweepShared {
  UnclearList list[kWarps];
  std::uint32_t candidates[kWarps];
  unsigned long long base;
};

// A block's unclear keys on their way to become candidates, or bits, or nothing. All functions are
// called by whole warps.
template <class T, bool kAffine>
class CandidateSink {
 public:
  using Layout = LaneLayout<T>;
  static_assert(Layout::kWords == kListedWords);

  // plain: of the unclear keys, all that are numbers are candidates.
  __device__ CandidateSink(const Parameters& p, Collection& collection, bool plain,
                           SweepShared& shared)
      : p_(p),
        collection_(collection),
        plain_(plain),
        shared_(shared),
        list_(shared.list[warp_index()]) {}

  __device__ void push(std::uint32_t unclear, std::uint64_t entry, const LaneWords<T>& words) {
    const unsigned pushing = __ballot_sync(kAllLanes, unclear != 0);
    if (pushing == 0) return;
    const auto pushed = static_cast<std::uint32_t>(__popc(pushing));
    if (listed_ + pushed > kWarpSize) write_list();
    if (unclear != 0) {
      const std::uint32_t below = (1U << lane_index()) - 1U;
      const std::uint32_t at = listed_ + static_cast<std::uint32_t>(__popc(pushing & below));
      list_.entry[at] = entry;
      list_.unclear[at] = unclear;
#pragma unroll
      for (int i = 0; i < kListedWords; ++i) list_.word[i][at] = words.word[i];
    }
    listed_ += pushed;
  }

  // Called once, by the whole block.
  __device__ void finish() {
    const std::uint32_t kept = judge_list();
    const std::uint32_t own = full_ ? 0 : static_cast<std::uint32_t>(__popc(kept));
    const std::uint32_t lanes_above = warp_sum_above(own);
    if (lane_index() == 0) shared_.candidates[warp_index()] = lanes_above + own;
    __syncthreads();
    std::uint32_t before = 0;
    std::uint32_t all = 0;
    for (std::uint32_t i = 0; i < kWarps; ++i) {
      if (i < warp_index()) before += shared_.candidates[i];
      all += shared_.candidates[i];
    }
    if (threadIdx.x == 0 && all > 0) shared_.base = atomicAdd(&collection_.candidates, all);
    __syncthreads();
    if (own > 0) write(kept, shared_.base + before + lanes_above);
  }

  // Of this lane: keys that were found to be above the bracket, and NaNs.
  __device__ std::uint32_t above() const {
    return above_;
  }
  __device__ std::uint32_t nan() const {
    return nan_;
  }

 private:
  // Of the lane's entry in the list: its key i, and where it lies.
  __device__ T stored(std::uint32_t i) const {
    if constexpr (sizeof(T) == 4)
      return __uint_as_float(list_.word[i][lane_index()]);
    else
      return T{static_cast<std::uint16_t>(list_.word[i / 2][lane_index()] >> (i % 2 * 16))};
  }
  __device__ EntryPlace place(std::uint32_t i) const {
    return place_of_entry(p_, list_.entry[lane_index()] + Layout::column(0, static_cast<int>(i)));
  }
  __device__ RankedKey ranked(std::uint32_t i) const {
    return ranked_key<T, kAffine>(p_, stored(i), [&] { return place(i).column; });
  }
  __device__ std::uint64_t code(std::uint32_t i) const {
    const EntryPlace at = place(i);
    const CandidateCode coding{collection_.bracket.low, p_.place_bits};
    return coding.encode(ranked(i).key, place_of(at.row, at.column, p_.shape.rows));
  }

  // Which keys of this lane's entry are candidates.
  __device__ std::uint32_t judge_list() {
    __syncwarp();
    std::uint32_t kept = 0;
    if (lane_index() < listed_)
      for (std::uint32_t left = list_.unclear[lane_index()]; left != 0; left &= left - 1) {
        const auto i = static_cast<std::uint32_t>(__ffs(static_cast<int>(left)) - 1);
        const RankedKey key = ranked(i);
        if (key.nan) ++nan_;
        if ((plain_ && !key.nan) || is_candidate(key.key, i)) kept |= 1U << i;
      }
    listed_ = 0;
    __syncwarp();
    return kept;
  }

  // The long way: NaN, affine keys, brackets whose ends are no numbers, and brackets of places.
  // Sets the bit where the key is above the bracket.
  __device__ bool is_candidate(std::uint32_t key, std::uint32_t i) {
    const Bracket& bracket = collection_.bracket;
    if (key < bracket.low || (key <= bracket.high && !bracket.encodable)) return false;
    const bool above = key > bracket.high || code(i) > bracket.last_code;
    if (!above) return code(i) >= bracket.first_code;
    const EntryPlace at = place(i);
    set_bit(p_, at.row, at.column);
    ++above_;
    return false;
  }

  __device__ void write(std::uint32_t kept, unsigned long long at) const {
    for (; kept != 0 && at < p_.capacity; kept &= kept - 1, ++at) {
      const std::uint64_t candidate =
          code(static_cast<std::uint32_t>(__ffs(static_cast<int>(kept)) - 1));
      p_.candidates[at] = candidate;
      atomicAdd(&p_.candidate_histogram[(candidate - collection_.bracket.first_code) >>
                                        collection_.bracket.digit_shift],
                1U);
    }
  }

  __device__ void write_list() {
    const std::uint32_t kept = judge_list();
    if (full_) return;
    const auto own = static_cast<std::uint32_t>(__popc(kept));
    const std::uint32_t above = warp_sum_above(own);
    unsigned long long base = 0;
    if (lane_index() == 0 && above + own > 0)
      base = atomicAdd(&collection_.candidates, static_cast<unsigned long long>(above + own));
    base = __shfl_sync(kAllLanes, base, 0);
    write(kept, base + above);
    full_ = base >= p_.capacity;  // the count says so to all: no more need be known
    __syncwarp();
  }

  const Parameters& p_;
  Collection& collection_;
  const bool plain_;
  SweepShared& shared_;
  UnclearList& list_;
  std::uint32_t listed_ = 0;
  std::uint32_t above_ = 0, nan_ = 0;
  bool full_ = false;
};

template <class T, bool kAffine>
class Sweep {
 public:
  using Key = RankedAs<T, kAffine>;
  using Limits = std::conditional_t<kAffine, ColumnLimits<T>, UniformLimits<T>>;

  __device__ Sweep(const Parameters& p, Collection& collection, bool count_nan, SweepShared& shared)
      : Sweep(p, collection, count_nan, shared,
              ends_of<Key>(collection.bracket.low, collection.bracket.high)) {}

  template <class Strip>
  __device__ void visit(const Strip& strip, const LaneWords<T>& words) {
    if constexpr (kAffine)
      limits_.move_to(p_.mean, p_.scale, strip.column(), p_.shape.columns, lane_index());
    const std::uint32_t valid = strip.valid();
    Classes classes = classify(words, limits_);
    classes.above &= valid;
    strip.store(classes.above);
    above_ += static_cast<std::uint32_t>(__popc(classes.above));
    sink_.push(classes.unclear & valid, strip.entry(), words);
  }

  // Called once, by the whole block.
  __device__ void finish() {
    sink_.finish();
    const auto above = warp_sum(static_cast<unsigned long long>(above_ + sink_.above()));
    const auto nan = warp_sum(static_cast<unsigned long long>(sink_.nan()));
    if (lane_index() != 0) return;
    if (above > 0) atomicAdd(&collection_.above, above);
    if (nan > 0 && count_nan_) atomicAdd(&p_.state->nan_count, nan);
  }

 private:
  __device__ Sweep(const Parameters& p, Collection& collection, bool count_nan, SweepShared& shared,
                   const Ends& ends)
      : p_(p),
        collection_(collection),
        limits_(ends),
        sink_(p, collection, !kAffine && ends.exact && collection.bracket.all_places, shared),
        count_nan_(count_nan) {}

  const Parameters& p_;
  Collection& collection_;
  Limits limits_;
  CandidateSink<T, kAffine> sink_;
  std::uint32_t above_ = 0;
  const bool count_nan_;
};

template <class T, bool kAffine, RowLayout kLayout>
__global__ void __launch_bounds__(kThreads, 2) sweep_kernel(const __grid_constant__ Parameters p) {
  extern __shared__ uint4 ring[];
  __shared__ SweepShared shared;
  let_next_grid_start();
  StripStream<T, kAffine, kLayout> stream(p, {blockIdx.x, gridDim.x}, ring);
  wait_for_grid_before();
  Sweep<T, kAffine> sweep(p, p.state->guessed, /*count_nan=*/true, shared);
  stream.run([&](const auto& strip, const auto& words) { sweep.visit(strip, words); });
  sweep.finish();
}

}  // namespace stepscope::kernels::batch_topk_device
