// SPDX-License-Identifier: Apache-2.0
// The kernel: a block takes rows blockIdx.x, blockIdx.x + gridDim.x and so on, each in three steps.
//
// 1. Bound. Each thread takes the greatest of four groups of keys, from the strips that are in the
//   ring at once; a key that `count` of all groups' greatest reach is no greater than the answer's
//   least. A rank search finds one that few more reach, looking near the last row's.
// 2. Filter. Keys that reach the bound become candidates. When a warp's list is full, all warps
//    stop where they stand, the best `count` stay, the least is the new bound, and all go on.
// 3. Select the `count` greatest codes of the candidates and write them out.
//
// So nothing is guessed: a bound is proven before it is used. What the keys are changes the number
// of candidates, thus the time, and never the answer.
#pragma once

#include <cstdint>

#include "kernels/row_topk/allowed_keys.cuh"
#include "kernels/row_topk/candidates.cuh"
#include "kernels/row_topk/emit.cuh"
#include "kernels/row_topk/piece_ring.cuh"

namespace stepscope::kernels::row_topk_device {

template <class Code>
struct RowShared {
  uint4 ring[kStages * kStripPieces];
  CandidateLists lists;
  RankCounters counters;
  ColumnBuckets<Code> buckets;
};

// Every device from sm_80 on gives a block this much.
static_assert(sizeof(RowShared<std::uint64_t>) <= std::size_t{99} * 1024);

constexpr std::uint32_t kUpperLast = (1U << kUpperBits) - 1;

template <class T>
constexpr std::uint32_t kNegativeInfinityKey = OrderedTraits<T>::kAll &
                                               ~(OrderedTraits<T>::kSign |
                                                 OrderedTraits<T>::kInfinity);

// The bits of the number, twice where it has 16, that each key with this ordered key or a greater
// one reaches.
template <class T>
__device__ inline std::uint32_t bounds_of(std::uint32_t key) {
  constexpr std::uint32_t kInfinityKey = OrderedTraits<T>::kSign | OrderedTraits<T>::kInfinity;
  const std::uint32_t number = min(max(key, kNegativeInfinityKey<T>), kInfinityKey);
  const std::uint32_t bits = bits_of_ordered<T>(number);
  return sizeof(T) == 2 ? bits | bits << 16 : bits;
}

template <class T, class Code>
class SelectRow {
 public:
  __device__ SelectRow(const Parameters& p, RowShared<Code>& shared, PieceRing<T>& ring,
                       BlockRank& rank, std::uint32_t row)
      : p_(p),
        shared_(shared),
        ring_(ring),
        rank_(rank),
        row_(row),
        pieces_(pieces_of_row<T>(p, row)),
        strips_(strips_of(pieces_.size())),
        found_(p, shared.lists),
        checks_(p.considered != nullptr) {}

  // `bound`: the last row's, and then this row's.
  __device__ void run(std::uint32_t& bound) {
    bound = find_bound(greatest_in_ring(), bound);
    raise_cut(coding<Code>(p_).least(max(bound << kLowerBits<T>, p_.floor)));
    for (;;) {
      filter();
      const HeldCodes<Code> held = found_.hold(cut_);
      const bool done = __syncthreads_or(strip_ < strips_ ? 1 : 0) == 0;
      const Code least = least_selected<T>(rank_, p_, held, found_.size_of_all(), cut_);
      if (done) return emit<T>(p_, row_, held, least, shared_.buckets);
      raise_cut(max(least, cut_));
      found_.keep_from(held, cut_);
      checks_ = true;
    }
  }

 private:
  // Looks at the strips of the row that are in the ring.
  template <std::uint32_t kAhead = 0>
  __device__ void look_ahead(Greatest<T>& greatest) const {
    if constexpr (kAhead < kStages) {
      if (kAhead >= strips_) return;
      PieceRing<T>::template wait<kAhead>();
      leave_allowed(p_, pieces_, ring_, kAhead, kAhead);
      greatest.look_at(ring_.unit(kAhead));
      look_ahead<kAhead + 1>(greatest);
    }
  }
  __device__ Greatest<T> greatest_in_ring() const {
    Greatest<T> greatest;
    look_ahead(greatest);
    return greatest;
  }

  // The upper bits of a bound.
  __device__ std::uint32_t find_bound(const Greatest<T>& greatest, std::uint32_t last) const {
    constexpr std::uint32_t kGroups = Greatest<T>::kGroups;
    static_assert(kRowTopkMostCount + kRowTopkMostCount / 8 < kGroups * kThreads);
    RankSearch<std::uint32_t> search(kNegativeInfinityKey<T> >> kLowerBits<T>, kUpperLast,
                                     kGroups * kThreads, p_.count, p_.count + p_.count / 8);
    if (last > 0) search.look_near(last - kRankBins / 2, 0);
    std::uint32_t groups[kGroups];
#pragma unroll
    for (std::uint32_t i = 0; i < kGroups; ++i) groups[i] = greatest.ordered(i);
    rank_.run(search, groups, kGroups);
    return search.low();
  }

  __device__ void raise_cut(Code cut) {
    cut_ = cut;
    bounds_ = bounds_of<T>(coding<Code>(p_).key(cut));
  }

  // Filters a row, by a warp, to its end or until the warp's list is full.
  __device__ void filter() {
    while (strip_ < strips_ && filter_strip()) ++strip_;
  }

  // Those that were looked at for the bound have been edited.
  __device__ bool is_to_edit() const {
    return strip_ >= kStages && (p_.considered != nullptr || strip_ + 1 == strips_);
  }

  // The warp's part of the present strip. False where there was no room for what it holds; then
  // keys that are done with are remembered.
  __device__ bool filter_strip() {
    PieceRing<T>::template wait<0>();
    if (is_to_edit()) leave_allowed(p_, pieces_, ring_, 0, strip_);
    const std::uint32_t reaching = ring_.unit(0).reaching(bounds_);
    std::uint32_t keys = reaching & ~done_keys_;
    const T* const unit = reinterpret_cast<const T*>(ring_.slot(0, 0));
    const std::uint32_t first = pieces_.column(strip_ * kStripPieces + threadIdx.x, 0);
    while (std::uint32_t lanes = __ballot_sync(kAllLanes, keys != 0)) {
      const std::uint32_t place = place_of(keys);
      const Candidate candidate{first + place, raw_bits(unit[place])};
      if (checks_)
        lanes = __ballot_sync(kAllLanes, keys != 0 && code_of<T, Code>(p_, candidate) >= cut_);
      if (!found_.append(lanes, candidate)) {
        done_keys_ = reaching & ~keys;
        return false;
      }
      keys &= keys - 1U;
    }
    done_keys_ = 0;
    ring_.release();
    return true;
  }

  // Returns the place of the key with the lowest of these bits, counted in keys from the unit's
  // first, in its row as in the ring; any key's where there is none.
  __device__ static std::uint32_t place_of(std::uint32_t keys) {
    const std::uint32_t bit = static_cast<std::uint32_t>(__ffs(static_cast<int>(keys)) - 1) % 32;
    return Unit<T>::piece(bit) * (kThreads * RowPieces<T>::kPerPiece) + Unit<T>::in_piece(bit);
  }

  const Parameters& p_;
  RowShared<Code>& shared_;
  PieceRing<T>& ring_;
  BlockRank& rank_;
  const std::uint32_t row_;
  const RowPieces<T> pieces_;
  const std::uint32_t strips_;
  WarpCandidates<T, Code> found_;
  bool
      checks_;  // each key before it is appended, since many that reach the bound may not be wanted
  Code cut_ = 0;  // candidates' codes are at least this
  std::uint32_t bounds_ = 0;
  std::uint32_t strip_ = 0;
  std::uint32_t done_keys_ = 0;
};

template <class T, class Code>
__global__ void __launch_bounds__(kThreads, kBlocksPerProcessor)
    row_topk_kernel(__grid_constant__ const Parameters p) {
  extern __shared__ __align__(kRingAlignment) uint4 dynamic[];
  auto& shared = *reinterpret_cast<RowShared<Code>*>(dynamic);
  PieceRing<T> ring(p, shared.ring);
  BlockRank rank(shared.counters);
  shared.buckets.sizes[threadIdx.x] = 0;
  __syncthreads();
  std::uint32_t bound = 0;
  for (std::uint64_t row = blockIdx.x; row < p.rows; row += gridDim.x)
    SelectRow<T, Code>(p, shared, ring, rank, static_cast<std::uint32_t>(row)).run(bound);
  wait_for_copies<0>();
}

}  // namespace stepscope::kernels::row_topk_device
