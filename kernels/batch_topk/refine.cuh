// SPDX-License-Identifier: Apache-2.0
// From candidates to the cut. Every block chooses the bin of the candidates that holds the cut and
// sets bits of its share of those above. The bin's own are few, as a rule, and lie together: then
// every block finds the cut among them, and no block has to hear from another. Where they are more
// than the bin's slots, they are listed, the finalists, and the block that comes last finds the
// cut. No block waits for another.
#pragma once

#include <cstdint>

#include "kernels/batch_topk/answer.cuh"
#include "kernels/batch_topk/nth_greatest.cuh"
#include "kernels/common/grid_sync.cuh"

namespace stepscope::kernels::batch_topk_device {

static_assert(BatchTopkWorkspace::kMostSlots <= kThreads);

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
  // In the thread that holds the bin's count.
  __device__ void tell_count(std::uint32_t bin, std::uint32_t* count) const {
#pragma unroll
    for (int i = 0; i < kBinsPerThread; ++i)
      if (threadIdx.x * kBinsPerThread + static_cast<std::uint32_t>(i) == bin) *count = counts_[i];
  }
  __device__ std::uint64_t load(std::uint32_t bin, std::uint32_t slot) const {
    return __ldcg(p_.candidate_table + std::uint64_t{bin} * p_.slots + slot);
  }

  // visit(code) for each of this block's share of the table that lies above the bin.
  template <class Visit>
  __device__ void visit_above(std::uint32_t chosen_bin, Visit visit) const {
    for (std::uint32_t bin = bin_; bin < kBins; bin += gridDim.x * kWarps) {
      if (bin <= chosen_bin) continue;
      const std::uint32_t held = bin == bin_ ? held_ : held_by(bin);
      for (std::uint32_t slot = lane_index(); slot < held; slot += kWarpSize) {
        const bool loaded = bin == bin_ && slot < kAtOnce * kWarpSize;
        visit(!loaded ? load(bin, slot) : slot < kWarpSize ? code_[0] : code_[1]);
      }
    }
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

__device__ inline std::int64_t nan_count_of(const Parameters& p) {
  return static_cast<std::int64_t>(__ldcg(&p.state->nan_count));
}

// What was found by the choice of a bin.
struct Choice {
  ChosenBin chosen;
  std::uint32_t inside;  // candidates of the bin
  std::uint64_t listed;  // of all bins
};

// Where the bin's candidates all have slots. One block leaves the bin's bits, block 0 the result.
__device__ inline void cut_within_slots(const Parameters& p, const CandidateShare& share,
                                        const Bracket& bracket, const Choice& choice,
                                        const Remainder& left, RefineShared& shared) {
  const CandidateCode coding{bracket.low, p.place_bits};
  const std::uint32_t bin = choice.chosen.bin;
  const bool has_one = threadIdx.x < choice.inside;
  const std::uint64_t own = has_one ? share.load(bin, threadIdx.x) : 0;
  const std::int64_t nan_count = nan_count_of(p);  // at once
  share.visit_above(bin, [&](std::uint64_t code) { set_bit(p, coding.decode(code)); });
  if (has_one) shared.list[threadIdx.x] = own;  // shared.listed is the bin's count already
  __syncthreads();
  const std::uint64_t cut = nth_greatest_listed(choice.chosen.wanted, shared);
  if (blockIdx.x == bin % gridDim.x && has_one && own >= cut) set_bit(p, coding.decode(own));
  share.visit_listed(choice.listed, [&](bool is_one, std::uint64_t code) {
    if (is_one && code >= cut) set_bit(p, coding.decode(code));
  });
  if (blockIdx.x == 0 && threadIdx.x == 0)
    write_result(p, bracket, left, coding.decode(cut), nan_count);
}

// Where they do not. The block that comes last leaves the bin's bits and the result.
__device__ inline void cut_among_finalists(const Parameters& p, const CandidateShare& share,
                                           const Bracket& bracket, const Choice& choice,
                                           const Remainder& left, RefineShared& shared) {
  const CandidateCode coding{bracket.low, p.place_bits};
  const std::uint32_t bin = choice.chosen.bin;
  share.visit_above(bin, [&](std::uint64_t code) { set_bit(p, coding.decode(code)); });
  share.visit_listed(choice.listed, [&](bool is_one, std::uint64_t code) {
    const std::uint64_t own_bin = (code - bracket.first_code) >> bracket.digit_shift;
    if (is_one && own_bin > bin) set_bit(p, coding.decode(code));
    add_finalists(p, is_one && own_bin == bin, code);
  });
  if (blockIdx.x == bin % gridDim.x) {
    const bool has_one = threadIdx.x < p.slots;
    add_finalists(p, has_one, has_one ? share.load(bin, threadIdx.x) : 0);
  }
  if (!is_last_block(&p.state->refine_arrived, gridDim.x)) return;
  const std::uint64_t prefix = bracket.first_code + (std::uint64_t{bin} << bracket.digit_shift);
  const std::uint64_t cut = nth_greatest(p.finalists, choice.inside, choice.chosen.wanted, prefix,
                                         bracket.digit_shift, shared);
  for (std::uint32_t i = threadIdx.x; i < choice.inside; i += kThreads) {
    const std::uint64_t code = __ldcg(p.finalists + i);
    if (code >= cut) set_bit(p, coding.decode(code));
  }
  if (threadIdx.x == 0) write_result(p, bracket, left, coding.decode(cut), nan_count_of(p));
}

// Called by all blocks, which all are answered the same: false where the bracket does not hold the
// wanted-th candidate, or more candidates than were kept; then nothing is done. Where the bracket
// leaves no key below it that may be selected, there may be fewer.
__device__ inline bool refine(const Parameters& p, const Collection& collection,
                              std::int64_t wanted, BatchTopkPath path, std::uint32_t reads,
                              RefineShared& shared) {
  const Bracket bracket = collection.bracket;  // by value: loaded at once, and before the share,
  const std::uint64_t listed = collection.listed;  // whose loads depend on each other
  const auto above = static_cast<std::int64_t>(collection.above);
  const CandidateShare share(p, collection);
  std::uint32_t total = 0;
  ChosenBin chosen = share.choose(wanted, &total);
  if (bracket.low == p.floor && wanted > std::int64_t{total}) {
    wanted = total;
    chosen = share.choose(wanted, &total);
  }
  if (!bracket.encodable || total > p.capacity || chosen.wanted < 1) return false;
  share.tell_count(chosen.bin, &shared.listed);
  __syncthreads();
  const Choice choice{chosen, shared.listed, listed};
  const Remainder left{total, wanted, above, path, reads};
  if (choice.inside <= p.slots)
    cut_within_slots(p, share, bracket, choice, left, shared);
  else
    cut_among_finalists(p, share, bracket, choice, left, shared);
  return true;
}

}  // namespace stepscope::kernels::batch_topk_device
