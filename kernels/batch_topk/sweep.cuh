// SPDX-License-Identifier: Apache-2.0
// One read of the matrix with a bracket: the bits of the keys above it go into the mask, the keys
// within become candidates, and both are counted.
//
// The cost of a strip of many keys is what all lanes do each time, so candidates take another path:
// a lane leaves the keys that need a closer look in a list of its warp, in shared memory. When the
// list is full, and once more at the end, the lanes take one key of the list each and write the
// candidates out, into slots of their bins: so the next kernel finds those of one bin together.
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

// One warp's entries and their keys as stored; short keys stand in the entry's low bits.
struct UnclearList {
  std::uint64_t entry[kListed];
  std::uint32_t key[kListed];
};

struct SweepShared {
  UnclearList list[kWarps];
  std::uint32_t above[kWarps], nan[kWarps];
  Bracket bracket;
};

// Whether a sweep may fail. With the exact bracket, and where shards collect, no other sweep comes
// behind it.
__device__ inline bool may_fail(const Parameters& p, const Collection& collection) {
  return !p.collects && &collection != &p.state->exact;
}

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

  template <class Strip, class Words>
  __device__ void push(std::uint32_t unclear, const Strip& strip, const Words& words) {
    while (true) {
      const unsigned pushing = __ballot_sync(kAllLanes, unclear != 0);
      if (pushing == 0) return;
      if (full_) return;
      const auto pushed = static_cast<std::uint32_t>(__popc(pushing));
      if (listed_ + pushed > kListed) {
        const bool many = write_list();
        if constexpr (!kAffine)  // registers of the others are short
          if (many && crowd(unclear)) return give_up();
      }
      if (unclear != 0) {
        const std::uint32_t below = (1U << lane_index()) - 1U;
        const std::uint32_t at = listed_ + static_cast<std::uint32_t>(__popc(pushing & below));
        const auto i = static_cast<std::uint32_t>(__ffs(static_cast<int>(unclear)) - 1);
        put(at, strip.entry() + words.offset(i), words.bits_of_any_key(i));
        unclear &= unclear - 1;
      }
      listed_ += pushed;
    }
  }

  // Candidates are more than there is room for, so the bracket does not hold whatever comes.
  __device__ bool is_full() const { return full_; }

  // Called once, by the whole block; above: of this lane, what is to be counted so beside what was
  // found here. The counts come behind the candidates, of which the last warp's are waited for.
  __device__ void finish(std::uint32_t above) {
    write_list();
    const std::uint32_t warp_above = warp_sum(above + above_);
    const std::uint32_t warp_nan = warp_sum(nan_);
    if (lane_index() == 0) {
      shared_.above[warp_index()] = warp_above;
      shared_.nan[warp_index()] = warp_nan;
    }
    __syncthreads();
    if (warp_index() == 0) add_counts();
  }

 private:
  static constexpr bool kShort = sizeof(T) == 2;
  static constexpr std::uint32_t kCrowd = 256;  // keys of a strip

  __device__ void put(std::uint32_t at, std::uint64_t entry, std::uint32_t bits) {
    list_.entry[at] = kShort ? entry << 16 | bits : entry;
    if constexpr (!kShort) list_.key[at] = bits;
  }
  __device__ T stored(std::uint32_t at) const {
    if constexpr (kShort)
      return T{static_cast<std::uint16_t>(list_.entry[at])};
    else
      return __uint_as_float(list_.key[at]);
  }
  __device__ EntryPlace place(std::uint32_t at) const {
    if constexpr (kShort) return place_of_entry(p_, list_.entry[at] >> 16);
    return place_of_entry_in_few(p_, list_.entry[at]);
  }
  __device__ RankedKey ranked(std::uint32_t at) const {
    return ranked_key<T, kAffine>(p_, stored(at), [&] { return place(at).column; });
  }
  // Whether the entry at this place of the list is a candidate, and its code. The long way: NaN,
  // affine keys, brackets whose ends are no numbers, and brackets of places.
  __device__ bool judge(std::uint32_t at, std::uint64_t* candidate) {
    const RankedKey key = ranked(at);
    if (key.nan) ++nan_;
    EntryPlace where{};
    const Standing standing = standing_of(shared_.bracket, key.key, key.nan, plain_, [&] {
      where = place(at);
      const CandidateCode coding{shared_.bracket.low, p_.place_bits};
      return *candidate = coding.encode(key.key, place_of(where.row, where.column, p_.shape.rows));
    });
    if (standing == Standing::above) {
      set_bit(p_, where.row, where.column);
      ++above_;
    }
    return standing == Standing::candidate;
  }

  // Called by one warp: the block's counts become part of all.
  __device__ void add_counts() const {
    static_assert(kWarps <= kWarpSize);
    const bool has_warp = lane_index() < kWarps;
    const unsigned long long above = wide_warp_sum(has_warp ? shared_.above[lane_index()] : 0U);
    const unsigned long long nan = wide_warp_sum(has_warp ? shared_.nan[lane_index()] : 0U);
    if (lane_index() != 0) return;
    if (above > 0) atomicAdd(&collection_.above, above);
    if (nan > 0) atomicAdd(&collection_.nan, nan);
  }

  __device__ bool put_in_table(std::uint64_t candidate) const {
    const Bracket& bracket = shared_.bracket;
    const std::uint64_t bin = (candidate - bracket.first_code) >> bracket.digit_shift;
    const std::uint32_t slot = atomicAdd(bins_of(p_, collection_) + bin, 1U);
    if (slot < p_.slots) p_.candidate_table[bin * p_.slots + slot] = candidate;
    return slot < p_.slots;
  }

  // Whether many were listed before these.
  __device__ bool put_in_list(unsigned lanes, std::uint64_t candidate) {
    const unsigned below = lanes & ((1U << lane_index()) - 1U);
    unsigned long long base = 0;
    if (lane_index() == 0)
      base = atomicAdd(&collection_.listed, static_cast<unsigned long long>(__popc(lanes)));
    base = __shfl_sync(kAllLanes, base, 0);
    const std::uint64_t to = base + static_cast<unsigned>(__popc(below));
    if ((lanes >> lane_index() & 1U) != 0 && to < p_.capacity) p_.candidate_list[to] = candidate;
    full_ = base >= p_.capacity;  // the bins' counts say so to all: no more need be known
    return base >= p_.many_listed;
  }

  // Whether the bracket seems to hold most keys, which the number of unclear keys in a strip shows
  // long before there is no room (the first strip is not judged). Equal keys in clumps look the
  // same, and cost a read.
  __device__ bool crowd(std::uint32_t unclear) const {
    const auto left = static_cast<std::uint32_t>(__popc(unclear));
    return may_fail(p_, collection_) && warp_sum(left) >= kCrowd;
  }
  __device__ void give_up() {
    if (lane_index() == 0) atomicAdd(&collection_.listed, p_.capacity + 1);
    full_ = true;
  }

  // Whether many are listed, in all.
  __device__ bool write_list() {
    bool many = false;
    wait_for_grid_before();  // which cleared the counters, long ago as a rule
    __syncwarp();
    for (std::uint32_t first = 0; first < listed_; first += kWarpSize) {
      const std::uint32_t at = first + lane_index();
      std::uint64_t candidate = 0;
      bool finds_full = false;
      if (at < listed_ && judge(at, &candidate) && !full_) finds_full = !put_in_table(candidate);
      const unsigned rest = __ballot_sync(kAllLanes, finds_full);
      if (rest != 0) many = put_in_list(rest, candidate);
    }
    listed_ = 0;
    __syncwarp();  // the list is read
    return many;
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
  __device__ Sweep(const Parameters& p, Collection& collection, SweepShared& shared)
      : Sweep(p, collection, shared, ends_of<Key>(shared.bracket.low, shared.bracket.high)) {}

  template <class Strip, class Words>
  __device__ void visit(const Strip& strip, const Words& words) {
    if constexpr (kAffine)
      limits_.move_to(p_.mean, p_.scale, strip.column(), p_.shape.columns, lane_index());
    const std::uint32_t valid = strip.valid();
    Classes classes = classify(words, limits_);
    classes.above &= valid;
    strip.store(classes.above);
    above_ += static_cast<std::uint32_t>(__popc(classes.above));
    sink_.push(classes.unclear & valid, strip, words);
  }

  // By a whole warp: false where the bracket holds too much, or the cut is far above it, for sure.
  // A sweep that must not fail writes all of the mask, also where nothing is selected.
  __device__ bool may_hold() {
    if (!may_fail(p_, collection_)) return true;
    if (sink_.is_full()) return false;
    wait_for_grid_before();  // which cleared the counter
    const auto own = static_cast<unsigned long long>(warp_sum(above_));
    above_ = 0;
    unsigned long long all = 0;
    if (lane_index() == 0) all = atomicAdd(&collection_.above, own) + own;
    return !far_above(p_, __shfl_sync(kAllLanes, all, 0));
  }

  // Called once, by the whole block.
  __device__ void finish() { sink_.finish(above_); }

 private:
  __device__ Sweep(const Parameters& p, Collection& collection, SweepShared& shared,
                   const Ends& ends)
      : p_(p),
        collection_(collection),
        limits_(ends),
        sink_(p, collection, !kAffine && ends.exact && shared.bracket.all_places, shared) {}

  const Parameters& p_;
  Collection& collection_;
  Limits limits_;
  CandidateSink<T, kAffine> sink_;
  std::uint32_t above_ = 0;
};

// Called by a whole block, once the bracket is known.
__device__ inline void take_bracket(const Collection& collection, SweepShared& shared) {
  if (threadIdx.x == 0) shared.bracket = collection.bracket;
  __syncthreads();
}

// What a sweep begins with, by a whole block. All choose the same; the first one leaves it for the
// next kernel. A warm one's is known before the kernels before this one have ended: unless it needs
// their statistics, it waits for them only where it counts candidates (CandidateSink).
template <class T, bool kAffine>
__device__ inline void begin_sweep(const Parameters& p, const BatchTopkWarmStart& known,
                                   SweepShared& shared) {
  if (p.warm_start == nullptr || p.statistics != nullptr) wait_for_grid_before();
  if (p.warm_start != nullptr) {
    if (threadIdx.x == 0) shared.bracket = warm_bracket(p, known);
    __syncthreads();
    return;
  }
  choose_sampled_bracket<T, kAffine>(p, p.sampled, kNarrow, &shared.bracket);
  if (threadIdx.x == 0 && blockIdx.x == 0) p.state->guessed.bracket = shared.bracket;
  __syncthreads();
}

constexpr int kSweepPieces = 4;
// More threads than a block has, so that two blocks leave room for one of the sample's: registers
// are 2 * 512 * 48 and 512 * 32 of 65,536, shared memory is 2 * 109.4 and 9.1 of 228 KB. So the
// sweep's first copies are under way while the sample is looked at.
constexpr int kSweepBound = 640;

// Slots of a bin that the L2 cache reads meanwhile: a sector of which some bytes were written would
// otherwise be completed when the next kernel reads it. A multiple of 2.
constexpr std::uint32_t kTablePrefetch = 64;

// Each warp has a bin or none.
__device__ inline void prefetch_table(const Parameters& p) {
  if (lane_index() != 0) return;
  const std::uint32_t bytes = min(kTablePrefetch, p.slots) * sizeof(std::uint64_t);
  for (std::uint32_t bin = warp_index() * gridDim.x + blockIdx.x; bin < kBins;
       bin += gridDim.x * kWarps)
    prefetch_to_l2(p.candidate_table + std::uint64_t{bin} * p.slots, bytes);
}

// Strips a warp that the L2 cache reads while the sample is waited for, beside the ring's: 17 MB.
constexpr std::uint32_t kSweepPrefetch = 2;

template <class T, bool kAffine, RowLayout kLayout, int kBytes>
__global__ void __launch_bounds__(kAffine ? kThreads : kSweepBound, 2)
    sweep_kernel(const __grid_constant__ Parameters p) {
  extern __shared__ __align__(kRingAlignment) uint4 ring[];
  __shared__ SweepShared shared;
  let_next_grid_start();
  const BatchTopkWarmStart known = known_before(p);  // before the keys stand in its way
  StripStream<T, kAffine, kLayout, kBytes, kSweepPieces> stream(p, {blockIdx.x, gridDim.x}, ring);
  prefetch_table(p);
  if constexpr (kLayout == RowLayout::flat)
    if (p.warm_start == nullptr) stream.prefetch(kSweepPrefetch);
  begin_sweep<T, kAffine>(p, known, shared);
  Sweep<T, kAffine> sweep(p, p.state->guessed, shared);
  stream.run([&](const auto& strip, const auto& words) { sweep.visit(strip, words); },
             [&] { return sweep.may_hold(); });
  sweep.finish();
}

}  // namespace stepscope::kernels::batch_topk_device
