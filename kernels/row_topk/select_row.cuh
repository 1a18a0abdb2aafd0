// SPDX-License-Identifier: Apache-2.0
// The kernel: a block takes rows blockIdx.x, blockIdx.x + gridDim.x and so on, each in three steps.
//
// 1. Bound. Of the strips that are in the ring at once, each thread takes the greatest of four
//    groups of keys; a key that `count` of all groups' greatest reach is no greater than the
//    answer's least. Counting finds one that few more reach, from the last row's on.
// 2. Filter. Keys that reach the bound become candidates. When their list is full, all warps stop
//    where they stand, the best `count` stay, the least of them is the new bound, and all go on.
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

struct RowShared {
  uint4 ring[kStages * kStripPieces];
  CandidateList list;
  ColumnBuckets buckets;
};

// What every device from sm_80 on gives a block.
static_assert(sizeof(RowShared) <= std::size_t{99} * 1024);

constexpr std::uint32_t kUpperBits = 16;  // of an ordered key, in which bounds are found
constexpr std::uint32_t kUpperEnd = 1U << kUpperBits;

template <class T>
constexpr int kLowerBits = OrderedTraits<T>::kBits - static_cast<int>(kUpperBits);

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

template <class T>
class SelectRow {
 public:
  __device__ SelectRow(const Parameters& p, RowShared& shared, PieceRing<T>& ring,
                       std::uint32_t row)
      : p_(p),
        shared_(shared),
        ring_(ring),
        row_(row),
        pieces_(pieces_of_row<T>(p, row)),
        strips_(strips_of(pieces_.size())) {}

  // `bound`: the last row's, and then this row's.
  __device__ void run(std::uint32_t& bound) {
    if (threadIdx.x == 0) shared_.list.asked = 0;
    bound = find_bound(greatest_in_ring(), bound);
    raise_cut(p_.code.least(max(bound << kLowerBits<T>, p_.floor)));
    while (!filter()) {
      const HeldCodes held = held_codes(shared_.list);
      raise_cut(least_selected(shared_.list, p_.code, held, cut_, p_.count));
      keep_from(shared_.list, held, cut_);
    }
    const HeldCodes held = held_codes(shared_.list);
    const std::uint64_t least = least_selected(shared_.list, p_.code, held, cut_, p_.count);
    emit<T>(p_, row_, held, least, shared_.buckets);
  }

 private:
  // Of the row's strips that are in the ring.
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

  // The upper bits of a bound; with a barrier, since there are more groups than is enough.
  __device__ std::uint32_t find_bound(const Greatest<T>& greatest, std::uint32_t guess) const {
    constexpr std::uint32_t kGroups = Greatest<T>::kGroups;
    static_assert(kRowTopkMostCount + kRowTopkMostCount / 8 < kGroups * kThreads);
    CountSearch<std::uint32_t> search(kNegativeInfinityKey<T> >> kLowerBits<T>, kUpperEnd,
                                      kGroups * kThreads, p_.count, p_.count + p_.count / 8);
    if (guess > 0) search.guess(guess);
    std::uint32_t groups[kGroups];
#pragma unroll
    for (std::uint32_t i = 0; i < kGroups; ++i) groups[i] = greatest.ordered(i);
    while (!search.done()) {
      const std::uint32_t probe = search.probe();
      int count = 0;
#pragma unroll
      for (const std::uint32_t group : groups) count += __syncthreads_count(group >= probe ? 1 : 0);
      search.counted(probe, static_cast<std::uint32_t>(count));
    }
    return search.low();
  }

  __device__ void raise_cut(std::uint64_t cut) {
    cut_ = cut;
    bounds_ = bounds_of<T>(p_.code.key(cut));
  }

  // By a whole block, and with a barrier: false where the list is full before all warps are done.
  __device__ bool filter() {
    while (strip_ < strips_ && filter_strip()) ++strip_;
    return __syncthreads_or(strip_ < strips_ ? 1 : 0) == 0;
  }

  // The warp's part of the present strip. False where there was no room for what it holds; then
  // keys that are done with are remembered.
  __device__ bool filter_strip() {
    PieceRing<T>::template wait<0>();
    if (strip_ >= kStages) leave_allowed(p_, pieces_, ring_, 0, strip_);
    std::uint32_t keys = ring_.unit(0).reaching(bounds_) & ~done_keys_;
    while (__any_sync(kAllLanes, keys != 0)) {
      const bool done = keys == 0 || append_key(static_cast<std::uint32_t>(__ffs(keys) - 1));
      if (done) {
        done_keys_ |= keys & (0U - keys);
        keys &= keys - 1U;
      }
      if (__any_sync(kAllLanes, !done)) return false;
    }
    done_keys_ = 0;
    ring_.release();
    return true;
  }

  // The key of the thread's unit that has this bit, where it may be selected. False where there was
  // no room for it.
  __device__ bool append_key(std::uint32_t bit) {
    const std::uint32_t j = Unit<T>::piece(bit);
    const std::uint32_t i = Unit<T>::in_piece(bit);
    const T stored = reinterpret_cast<const T*>(ring_.slot(0, j))[i];
    const std::uint32_t column =
        pieces_.column(strip_ * kStripPieces + j * kThreads + threadIdx.x, i);
    if (column >= p_.columns || !is_considered(p_, column)) return true;
    const std::uint64_t code = p_.code.encode(ordered_key(stored, p_.nan), column);
    return code < cut_ || append(shared_.list, code);
  }

  const Parameters& p_;
  RowShared& shared_;
  PieceRing<T>& ring_;
  const std::uint32_t row_;
  const RowPieces<T> pieces_;
  const std::uint32_t strips_;
  std::uint64_t cut_ = 0;  // candidates' codes are at least this
  std::uint32_t bounds_ = 0;
  std::uint32_t strip_ = 0;
  std::uint32_t done_keys_ = 0;
};

template <class T>
__global__ void __launch_bounds__(kThreads, kBlocksPerProcessor)
    row_topk_kernel(__grid_constant__ const Parameters p) {
  extern __shared__ __align__(kRingAlignment) uint4 dynamic[];
  RowShared& shared = *reinterpret_cast<RowShared*>(dynamic);
  shared.buckets.sizes[threadIdx.x] = 0;
  PieceRing<T> ring(p, shared.ring);
  std::uint32_t bound = 0;
  for (std::uint64_t row = blockIdx.x; row < p.rows; row += gridDim.x)
    SelectRow<T>(p, shared, ring, static_cast<std::uint32_t>(row)).run(bound);
  wait_for_copies<0>();
}

}  // namespace stepscope::kernels::row_topk_device
