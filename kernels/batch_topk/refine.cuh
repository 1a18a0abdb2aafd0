// SPDX-License-Identifier: Apache-2.0
// From candidates to the cut. Every block chooses the bin of the candidates that holds the cut and
// sets bits of its share of those above. The bin's own are few, as a rule, and lie together: then
// the block whose share they are finds the cut, and nobody has to hear from another. Where they
// are more than the bin's slots, they are listed, the finalists, and the block that comes last
// finds the cut. No block waits for another.
//
// Nothing runs beside this end of a call: what counts are loads that wait for each other, of which
// there are two, and instructions, since all warps of a multiprocessor do much the same. What all
// warps read is loaded by way of the L1 cache: past it, one line of the L2 cache would answer
// thousands of loads (6 us more).
#pragma once

#include <cstdint>

#include "kernels/batch_topk/answer.cuh"
#include "kernels/batch_topk/nth_greatest.cuh"
#include "kernels/common/grid_sync.cuh"

namespace stepscope::kernels::batch_topk_device {

static_assert(BatchTopkWorkspace::kMostSlots <= kThreads && kThreads <= kSmallList);

// The candidates of a collection, as one block sees them. What it begins with is loaded at once:
// the bins of each thread for the choice, and as much as most bins hold of the bin that is the
// warp's share, while it is not yet known whether that lies above.
class CandidateShare {
 public:
  __device__ CandidateShare(const Parameters& p, const Collection& collection)
      : p_(p), bins_(bins_of(p, collection)), bin_(warp_index() * gridDim.x + blockIdx.x) {
    static_assert(kBinsPerThread == 4);
    const uint4 four = __ldcg(reinterpret_cast<const uint4*>(bins_) + threadIdx.x);
    counts_[0] = four.x, counts_[1] = four.y, counts_[2] = four.z, counts_[3] = four.w;
    held_ = bin_ < kBins ? held_by(bin_) : 0;
#pragma unroll
    for (std::uint32_t i = 0; i < kAtOnce; ++i) {
      const std::uint32_t slot = lane_index() + i * kWarpSize;
      code_[i] = slot < held_ ? load(bin_, slot) : 0;
    }
  }

  // Whole blocks: the bin of the wanted-th, and how many candidates there are.
  __device__ ChosenBin choose(std::int64_t wanted, std::uint32_t* total) const {
    return block_choose_bin<kThreads>(counts_, wanted, total);
  }
  __device__ static bool has(std::uint32_t bin) {
    return bin % gridDim.x == blockIdx.x;
  }
  // visit(slot, code) for what the table has of a bin, by the warp whose share it is.
  template <class Visit>
  __device__ void visit_bin(std::uint32_t bin, Visit visit) const {
    if (bin % (gridDim.x * kWarps) == bin_) visit_own(bin, visit);
  }
  // The same for all this block's bins above that one.
  template <class Visit>
  __device__ void visit_above(std::uint32_t chosen_bin, Visit visit) const {
    for (std::uint32_t bin = bin_; bin < kBins; bin += gridDim.x * kWarps)
      if (bin > chosen_bin) visit_own(bin, visit);
  }
  // And of the list, which holds `listed`; whole warps call visit(is_one, code).
  template <class Visit>
  __device__ void visit_listed(std::uint64_t listed, Visit visit) const {
    const std::uint64_t first = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x;
    for (std::uint64_t i = first; i - lane_index() < listed;
         i += std::uint64_t{gridDim.x} * kThreads)
      visit(i < listed, i < listed ? __ldcg(p_.candidate_list + i) : 0);
  }

 private:
  static constexpr std::uint32_t kAtOnce = 2;

  __device__ std::uint32_t held_by(std::uint32_t bin) const {
    return min(__ldcg(bins_ + bin), p_.slots);
  }
  __device__ std::uint64_t load(std::uint32_t bin, std::uint32_t slot) const {
    return __ldcg(p_.candidate_table + std::uint64_t{bin} * p_.slots + slot);
  }
  template <class Visit>
  __device__ void visit_own(std::uint32_t bin, Visit visit) const {
    const std::uint32_t held = bin == bin_ ? held_ : held_by(bin);
    for (std::uint32_t slot = lane_index(); slot < held; slot += kWarpSize) {
      const bool loaded = bin == bin_ && slot < kAtOnce * kWarpSize;
      visit(slot, !loaded ? load(bin, slot) : slot < kWarpSize ? code_[0] : code_[1]);
    }
  }

  const Parameters& p_;
  const std::uint32_t* const bins_;
  const std::uint32_t bin_;
  std::uint32_t held_;
  std::uint32_t counts_[kBinsPerThread];
  std::uint64_t code_[kAtOnce];
};

// Whole warps.
__device__ inline void add_finalists(const Parameters& p, bool is_one, std::uint64_t code) {
  const unsigned lanes = __ballot_sync(kAllLanes, is_one);
  if (lanes == 0) return;
  std::uint32_t base = 0;
  if (lane_index() == 0)
    base = atomicAdd(&p.state->finalists, static_cast<std::uint32_t>(__popc(lanes)));
  base = __shfl_sync(kAllLanes, base, 0);
  const auto below = static_cast<std::uint32_t>(__popc(lanes & ((1U << lane_index()) - 1U)));
  if (is_one) p.finalists[base + below] = code;
}

// The choice of a bin, and what it is made of.
struct Cutting {
  Bracket bracket;
  ChosenBin chosen;
  std::uint64_t listed;  // candidates of all bins
  Remainder left;
  std::int64_t nan_count;
  BatchTopkWarmStart known;  // before this call
  CandidateCode coding;

  __device__ std::uint32_t bin_of(std::uint64_t code) const {
    return static_cast<std::uint32_t>((code - bracket.first_code) >> bracket.digit_shift);
  }
};

__device__ inline void set_bit(const Parameters& p, const Cutting& cutting, std::uint64_t code) {
  set_bit(p, cutting.coding.decode(code));
}

// Writes the answer, by one block. Two threads work side by side, for the whole device waits for
// both.
__device__ inline void leave_answer(const Parameters& p, const Cutting& cutting,
                                    std::uint64_t code) {
  constexpr unsigned kResult = 2 * kWarpSize;  // the first warps set bits
  constexpr unsigned kStart = 3 * kWarpSize;
  static_assert(kStart < kThreads);
  const Cut cut = cutting.coding.decode(code);
  if (threadIdx.x == kResult) write_result(p, cutting.left, cut, cutting.nan_count);
  if (threadIdx.x == kStart)
    leave_warm_start(p, cutting.known, cutting.bracket, cutting.left, cut.key);
}

// Cuts where the bin's candidates all have slots: one block cuts, while all leave the bits of those
// above.
__device__ inline void cut_within_slots(const Parameters& p, const CandidateShare& share,
                                        const Cutting& cutting, RefineShared& shared) {
  const ChosenBin& chosen = cutting.chosen;
  if (share.has(chosen.bin)) {
    share.visit_bin(chosen.bin,
                    [&](std::uint32_t slot, std::uint64_t code) { shared.list[slot] = code; });
    __syncthreads();
    const std::uint64_t cut =
        nth_greatest_listed(static_cast<std::uint32_t>(chosen.inside), chosen.wanted, shared);
    const bool has_one = threadIdx.x < chosen.inside;
    if (has_one && shared.list[threadIdx.x] >= cut) set_bit(p, cutting, shared.list[threadIdx.x]);
    leave_answer(p, cutting, cut);
  }
  share.visit_above(chosen.bin,
                    [&](std::uint32_t, std::uint64_t code) { set_bit(p, cutting, code); });
  share.visit_listed(cutting.listed, [&](bool is_one, std::uint64_t code) {
    if (is_one && cutting.bin_of(code) > chosen.bin) set_bit(p, cutting, code);
  });
}

// Cuts where they do not. The block that comes last leaves the bin's bits and the result.
__device__ inline void cut_among_finalists(const Parameters& p, const CandidateShare& share,
                                           const Cutting& cutting, RefineShared& shared) {
  const ChosenBin& chosen = cutting.chosen;
  const Bracket& bracket = cutting.bracket;
  share.visit_above(chosen.bin,
                    [&](std::uint32_t, std::uint64_t code) { set_bit(p, cutting, code); });
  share.visit_listed(cutting.listed, [&](bool is_one, std::uint64_t code) {
    const std::uint32_t own_bin = cutting.bin_of(code);
    if (is_one && own_bin > chosen.bin) set_bit(p, cutting, code);
    add_finalists(p, is_one && own_bin == chosen.bin, code);
  });
  share.visit_bin(chosen.bin, [&](std::uint32_t, std::uint64_t code) {
    p.finalists[atomicAdd(&p.state->finalists, 1U)] = code;
  });
  if (!is_last_block(&p.state->refine_arrived, gridDim.x)) return;
  const std::uint64_t prefix =
      bracket.first_code + (std::uint64_t{chosen.bin} << bracket.digit_shift);
  const std::uint64_t cut =
      nth_greatest(p.finalists, chosen.inside, chosen.wanted, prefix, bracket.digit_shift, shared);
  for (std::uint32_t i = threadIdx.x; i < chosen.inside; i += kThreads) {
    const std::uint64_t code = __ldcg(p.finalists + i);
    if (code >= cut) set_bit(p, cutting, code);
  }
  leave_answer(p, cutting, cut);
}

// Called by all blocks, which all are answered the same: false where the bracket does not hold the
// wanted-th candidate, or more candidates than were kept; then nothing is done. Where the bracket
// leaves no key below it that may be selected, there may be fewer.
__device__ inline bool refine(const Parameters& p, const Collection& collection,
                              std::int64_t wanted, BatchTopkPath path, std::uint32_t reads,
                              const BatchTopkWarmStart& known, RefineShared& shared) {
  const Bracket bracket = collection.bracket;  // by value: loaded at once, and before the share,
  const std::uint64_t listed = collection.listed;  // whose loads depend on each other
  const auto above = static_cast<std::int64_t>(collection.above);
  const auto nan_count = static_cast<std::int64_t>(collection.nan);
  const CandidateShare share(p, collection);
  std::uint32_t total = 0;
  ChosenBin chosen = share.choose(wanted, &total);
  if (bracket.low == p.floor && wanted > std::int64_t{total}) {
    wanted = total;
    chosen = share.choose(wanted, &total);
  }
  if (!bracket.encodable || max(std::uint64_t{total}, listed) > p.capacity || chosen.wanted < 1)
    return false;
  const Cutting cutting{bracket,
                        chosen,
                        listed,
                        {total, wanted, above, path, reads},
                        nan_count,
                        known,
                        {bracket.low, p.place_bits}};
  if (chosen.inside <= p.slots)
    cut_within_slots(p, share, cutting, shared);
  else
    cut_among_finalists(p, share, cutting, shared);
  return true;
}

}  // namespace stepscope::kernels::batch_topk_device
