// SPDX-License-Identifier: Apache-2.0
// One read of the matrix with a bracket: the bits of the keys above it go into the mask, the keys
// within become candidates, and both are counted.
//
// What a strip of many keys costs is what all lanes do each time, so candidates take a side way: a
// lane leaves the keys that need a closer look in a list of its warp, in shared memory. When the
// list is full, and once more a block at the end, the lanes take one key of the list each and write
// the candidates out; the counters of all are touched once for that.
#pragma once

#include <cstdint>

#include "kernels/batch_topk/limits.cuh"
#include "kernels/batch_topk/ranked_key.cuh"
#include "kernels/batch_topk/refine.cuh"
#include "kernels/batch_topk/sample_bracket.cuh"
#include "kernels/batch_topk/strip_stream.cuh"
#include "kernels/common/grid_sync.cuh"

namespace stepscope::kernels::batch_topk_device {

constexpr std::uint32_t kListed = 2 * kWarpSize;

// Of one warp.
struct UnclearList {
  std::uint64_t entry[kListed];
  std::uint32_t key[kListed];  // as stored
};

struct SweepShared {
  UnclearList list[kWarps];
  std::uint32_t candidates[kWarps], above[kWarps], nan[kWarps];
  unsigned long long base;
  Bracket bracket;
};

// A block's unclear keys on their way to become candidates, or bits, or nothing. All functions are
// called by whole warps.
template <class T, bool kAffine>
class CandidateSink {
 public:
  // plain: of the unclear keys, all that are numbers are candidates.
  __device__ CandidateSink(const Parameters& p, Collection& collection, bool plain,
                           SweepShared& shared)
      : p_(p),
        collection_(collection),
        plain_(plain),
        shared_(shared),
        list_(shared.list[warp_index()]) {}

  template <class Words>
  __device__ void push(std::uint32_t unclear, std::uint64_t first_entry, const Words& words) {
    while (true) {
      const unsigned pushing = __ballot_sync(kAllLanes, unclear != 0);
      if (pushing == 0) return;
      const auto pushed = static_cast<std::uint32_t>(__popc(pushing));
      if (listed_ + pushed > kListed) write_list();
      if (unclear != 0) {
        const std::uint32_t below = (1U << lane_index()) - 1U;
        const std::uint32_t at = listed_ + static_cast<std::uint32_t>(__popc(pushing & below));
        const auto i = static_cast<std::uint32_t>(__ffs(static_cast<int>(unclear)) - 1);
        list_.entry[at] = first_entry + words.offset(i);
        list_.key[at] = words.bits_of_any_key(i);
        unclear &= unclear - 1;
      }
      listed_ += pushed;
    }
  }

  // Called once, by the whole block; above: of this lane, what is to be counted so beside what was
  // found here.
  __device__ void finish(std::uint32_t above, bool count_nan) {
    const std::uint32_t kept = judge_list();
    const std::uint32_t own = full_ ? 0 : static_cast<std::uint32_t>(__popc(kept));
    const std::uint32_t lanes_above = warp_sum_above(own);
    const std::uint32_t warp_above = warp_sum(above + above_);
    const std::uint32_t warp_nan = warp_sum(nan_);
    if (lane_index() == 0) {
      shared_.candidates[warp_index()] = lanes_above + own;
      shared_.above[warp_index()] = warp_above;
      shared_.nan[warp_index()] = count_nan ? warp_nan : 0;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      unsigned long long candidates = 0;
      unsigned long long all_above = 0;
      unsigned long long nan = 0;
      for (std::uint32_t i = 0; i < kWarps; ++i) {
        candidates += shared_.candidates[i];
        all_above += shared_.above[i];
        nan += shared_.nan[i];
      }
      if (candidates > 0) shared_.base = atomicAdd(&collection_.candidates, candidates);
      if (all_above > 0) atomicAdd(&collection_.above, all_above);
      if (nan > 0) atomicAdd(&p_.state->nan_count, nan);
    }
    std::uint32_t before = lanes_above;
    for (std::uint32_t i = 0; i < warp_index(); ++i) before += shared_.candidates[i];
    __syncthreads();
    if (own > 0) write(kept, shared_.base + before);
  }

 private:
  __device__ T stored(std::uint32_t at) const {
    if constexpr (sizeof(T) == 4)
      return __uint_as_float(list_.key[at]);
    else
      return T{static_cast<std::uint16_t>(list_.key[at])};
  }
  __device__ EntryPlace place(std::uint32_t at) const {
    return place_of_entry(p_, list_.entry[at]);
  }
  __device__ RankedKey ranked(std::uint32_t at) const {
    return ranked_key<T, kAffine>(p_, stored(at), [&] { return place(at).column; });
  }
  __device__ std::uint64_t code(std::uint32_t at, std::uint32_t key) const {
    const EntryPlace where = place(at);
    const CandidateCode coding{shared_.bracket.low, p_.place_bits};
    return coding.encode(key, place_of(where.row, where.column, p_.shape.rows));
  }

  // Which of the listed keys are candidates: bit i of the lane's i-th.
  __device__ std::uint32_t judge_list() {
    __syncwarp();
    std::uint32_t kept = 0;
    for (std::uint32_t i = 0, at = lane_index(); at < listed_; ++i, at += kWarpSize) {
      const RankedKey key = ranked(at);
      if (key.nan) ++nan_;
      if ((plain_ && !key.nan) || is_candidate(key.key, at)) kept |= 1U << i;
    }
    listed_ = 0;
    return kept;
  }

  // The long way: NaN, affine keys, brackets whose ends are no numbers, and brackets of places.
  // Sets the bit where the key is above the bracket.
  __device__ bool is_candidate(std::uint32_t key, std::uint32_t at) {
    const Bracket& bracket = shared_.bracket;
    if (key < bracket.low || (key <= bracket.high && !bracket.encodable)) return false;
    const bool above = key > bracket.high || code(at, key) > bracket.last_code;
    if (!above) return code(at, key) >= bracket.first_code;
    const EntryPlace where = place(at);
    set_bit(p_, where.row, where.column);
    ++above_;
    return false;
  }

  __device__ void write(std::uint32_t kept, unsigned long long to) const {
    for (std::uint32_t at = lane_index(); kept != 0 && to < p_.capacity;
         kept >>= 1, at += kWarpSize) {
      if ((kept & 1U) == 0) continue;
      const std::uint64_t candidate = code(at, ranked(at).key);
      p_.candidates[to++] = candidate;
      atomicAdd(&p_.candidate_histogram[(candidate - shared_.bracket.first_code) >>
                                        shared_.bracket.digit_shift],
                1U);
    }
  }

  __device__ void write_list() {
    const std::uint32_t kept = judge_list();
    if (!full_) {
      const auto own = static_cast<std::uint32_t>(__popc(kept));
      const std::uint32_t above = warp_sum_above(own);
      unsigned long long base = 0;
      if (lane_index() == 0 && above + own > 0)
        base = atomicAdd(&collection_.candidates, static_cast<unsigned long long>(above + own));
      base = __shfl_sync(kAllLanes, base, 0);
      write(kept, base + above);
      full_ = base >= p_.capacity;  // the count says so to all: no more need be known
    }
    __syncwarp();  // the list is read
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

  // Called by the whole block; its bracket stands in shared memory.
  __device__ Sweep(const Parameters& p, Collection& collection, bool count_nan, SweepShared& shared)
      : Sweep(p, collection, count_nan, shared,
              ends_of<Key>(shared.bracket.low, shared.bracket.high)) {}

  template <class Strip, class Words>
  __device__ void visit(const Strip& strip, const Words& words) {
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
  __device__ void finish() { sink_.finish(above_, count_nan_); }

 private:
  __device__ Sweep(const Parameters& p, Collection& collection, bool count_nan, SweepShared& shared,
                   const Ends& ends)
      : p_(p),
        limits_(ends),
        sink_(p, collection, !kAffine && ends.exact && shared.bracket.all_places, shared),
        count_nan_(count_nan) {}

  const Parameters& p_;
  Limits limits_;
  CandidateSink<T, kAffine> sink_;
  std::uint32_t above_ = 0;
  const bool count_nan_;
};

// Called by a whole block; nobody writes the bracket meanwhile.
__device__ inline void take_bracket(const Collection& collection, SweepShared& shared) {
  if (threadIdx.x == 0) shared.bracket = collection.bracket;
  __syncthreads();
}

// All blocks choose the same; the first one leaves it for the next kernel.
template <class T, bool kAffine>
__device__ inline void choose_bracket(const Parameters& p, SweepShared& shared) {
  choose_sampled_bracket<T, kAffine>(p, &shared.bracket);
  if (threadIdx.x == 0 && blockIdx.x == 0) p.state->guessed.bracket = shared.bracket;
  __syncthreads();
}

constexpr int kSweepPieces = 4;
// More threads than a block has, so that two blocks leave room for one of the sample's: registers
// are 2 * 512 * 48 and 512 * 32 of 65,536, shared memory is 2 * 109.4 and 9.1 of 228 KB. So the
// sweep's first copies are under way while the sample is looked at.
constexpr int kSweepBound = 640;

// Strips a warp that the L2 cache reads while the sample is waited for, beside the ring's: 17 MB.
constexpr std::uint32_t kSweepPrefetch = 2;

template <class T, bool kAffine, RowLayout kLayout, std::uint32_t kPrefetch = kSweepPrefetch>
__global__ void __launch_bounds__(kAffine ? kThreads : kSweepBound, 2)
    sweep_kernel(const __grid_constant__ Parameters p) {
  extern __shared__ __align__(kRingAlignment) uint4 ring[];
  __shared__ SweepShared shared;
  let_next_grid_start();
  StripStream<T, kAffine, kLayout, kSweepRingBytes, kSweepPieces> stream(p, {blockIdx.x, gridDim.x},
                                                                         ring);
  if constexpr (kLayout == RowLayout::flat && kPrefetch > 0)
    if (p.warm_start == nullptr) stream.prefetch(kPrefetch);
  wait_for_grid_before();
  if (p.warm_start == nullptr)
    choose_bracket<T, kAffine>(p, shared);
  else
    take_bracket(p.state->guessed, shared);
  Sweep<T, kAffine> sweep(p, p.state->guessed, /*count_nan=*/true, shared);
  stream.run([&](const auto& strip, const auto& words) { sweep.visit(strip, words); });
  sweep.finish();
}

}  // namespace stepscope::kernels::batch_topk_device
