// SPDX-License-Identifier: Apache-2.0
// A row's entries that may be selected, in shared memory, in no order: their codes are distinct
// numbers, so the choice does not depend on their order.
//
// Each warp has a list of its own, to which it alone appends, without atomics: its size is a
// register of the warp. Found keys are kept as they are; their codes are made when a list is full
// or the row is done, where all lanes have work. Each thread then holds codes of its warp's list.
#pragma once

#include <cstdint>

#include "kernels/row_topk/block_rank.cuh"

namespace stepscope::kernels::row_topk_device {

constexpr std::uint32_t kCapacity = 1536;
constexpr std::uint32_t kWarpCapacity = kCapacity / kWarps;
constexpr std::uint32_t kCodesOfThread = kWarpCapacity / kWarpSize;
static_assert(kWarpCapacity % kWarpSize == 0);
// After a choice each warp has room for what its lanes find at once.
static_assert(kRowTopkMostCount / kWarps + kWarpSize <= kWarpCapacity);

struct alignas(8) Candidate {
  std::uint32_t column;  // not below the row's where the key is not of it
  std::uint32_t bits;    // bits of the key
};

struct CandidateLists {
  Candidate found[kWarps][kWarpCapacity];
  std::uint32_t sizes[kWarps];  // number of codes that are held
  std::uint32_t kept;
};

// Codes that a thread holds, the first `size` or fewer of them; 0 where there is none.
template <class Code>
struct HeldCodes {
  Code code[kCodesOfThread];
  std::uint32_t size;
};

// 0 where the key may not be selected.
template <class T, class Code>
__device__ inline Code code_of(const Parameters& p, const Candidate& candidate) {
  if (candidate.column >= p.columns || !is_considered(p, candidate.column)) return 0;
  return coding<Code>(p).encode(ordered_bits<T>(candidate.bits, p.nan), candidate.column);
}

// A warp's list.
template <class T, class Code>
class WarpCandidates {
 public:
  __device__ WarpCandidates(const Parameters& p, CandidateLists& lists)
      : p_(p), lists_(lists), own_(lists.found[warp_index()]) {}

  // Appends the candidates of `lanes`, a bit each; by a whole warp. False, and nothing is appended,
  // where there is no room.
  __device__ bool append(std::uint32_t lanes, const Candidate& candidate) {
    const auto more = static_cast<std::uint32_t>(__popc(lanes));
    if (size_ + more > kWarpCapacity) return false;
    const std::uint32_t before = lanes & (own_lane_ - 1U);
    if ((lanes & own_lane_) != 0)
      own_[size_ + static_cast<std::uint32_t>(__popc(before))] = candidate;
    size_ += more;
    return true;
  }
  // Takes the codes >= cut, by a whole warp. A barrier later size_of_all() counts those of all
  // warps.
  __device__ HeldCodes<Code> hold(Code cut) const {
    __syncwarp();
    HeldCodes<Code> held{{}, (size_ + kWarpSize - 1) / kWarpSize};
    std::uint32_t count = 0;
#pragma unroll
    for (std::uint32_t i = 0; i < kCodesOfThread; ++i) {
      if (i >= held.size) continue;
      const std::uint32_t at = i * kWarpSize + lane_index();
      const Code code = at < size_ ? code_of<T, Code>(p_, own_[at]) : 0;
      held.code[i] = code >= cut ? code : 0;
      count += static_cast<std::uint32_t>(__popc(__ballot_sync(kAllLanes, code >= cut)));
    }
    if (lane_index() == 0) lists_.sizes[warp_index()] = count;
    return held;
  }
  __device__ std::uint32_t size_of_all() const {
    std::uint32_t size = 0;
#pragma unroll
    for (const std::uint32_t of_warp : lists_.sizes) size += of_warp;
    return size;
  }

  // Keeps the codes of all threads that are >= least, shared out evenly over the warps; called by a
  // whole block. They are at most kRowTopkMostCount.
  __device__ void keep_from(const HeldCodes<Code>& held, Code least) {
    if (threadIdx.x == 0) lists_.kept = 0;
    __syncthreads();
#pragma unroll
    for (const Code code : held.code) {
      if (code < least) continue;
      const std::uint32_t at = atomicAdd(&lists_.kept, 1U);
      lists_.found[at % kWarps][at / kWarps] = {coding<Code>(p_).column(code),
                                                bits_of_ordered<T>(coding<Code>(p_).key(code))};
    }
    __syncthreads();
    size_ = (lists_.kept + kWarps - 1 - warp_index()) / kWarps;
  }

 private:
  const Parameters& p_;
  CandidateLists& lists_;
  Candidate* const own_;
  const std::uint32_t own_lane_ = 1U << lane_index();
  std::uint32_t size_ = 0;
};

// The least of the `count` greatest of the codes that a block holds, `size` of them and none below
// `low`; 1 where there are no more than count.
template <class T, class Code>
__device__ inline Code least_selected(BlockRank& rank, const Parameters& p,
                                      const HeldCodes<Code>& held, std::uint32_t size, Code low) {
  if (size <= p.count) return 1;
  constexpr int kBits = 8 * sizeof(Code);
  const Code last = ~Code{0} >> (kBits - OrderedTraits<T>::kBits - p.place_bits);
  RankSearch<Code> search(low, last, size, p.count, p.count);
  search.look_near(low, kLowerBits<T> + p.place_bits);
  rank.run(search, held.code, held.size);
  return search.low();
}

}  // namespace stepscope::kernels::row_topk_device
