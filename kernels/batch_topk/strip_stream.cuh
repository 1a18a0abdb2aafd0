// SPDX-License-Identifier: Apache-2.0
// Brings a worker's strips to its warps, in the order of its walk, with many loads under way.
//
// Through shared memory: each thread copies its own 16-byte pieces into a ring of its own with
// cp.async and reads them back itself, so there is no barrier, few registers, and the copies begin
// before the kernel knows what to do with them. Where the matrix is one long row, a strip's number
// is all that there is to keep. Through registers, one strip ahead, for matrices whose rows do not
// begin at multiples of 16 bytes.
#pragma once

#include <cstdint>

#include "kernels/batch_topk/strip.cuh"
#include "kernels/batch_topk/strip_order.hpp"
#include "kernels/common/async_copy.cuh"

namespace stepscope::kernels::batch_topk_device {

constexpr int kThreads = 512;
constexpr int kWarps = kThreads / kWarpSize;
constexpr int kRingBytes = 64 * 1024;  // a block
// Ring of the sweep, which has little else in shared memory; kRingBytes where a block cannot have
// that.
constexpr int kSweepRingBytes = 96 * 1024;

// A worker's part of the strips: every `shares`-th step, or a run of steps (walk.hpp).
struct Share {
  std::int64_t number, count;
};

// A lane's keys, and where they still stand in shared memory until its next copies.
template <class T, int kPieces>
struct RingWords : LaneWords<T, kPieces> {
  const uint4* slot;

  __device__ std::uint32_t bits_of_any_key(std::uint32_t i) const {
    constexpr std::uint32_t kPerPiece = LaneLayout<T, kPieces>::kPerPiece;
    const auto* keys = reinterpret_cast<const T*>(slot + i / kPerPiece * kThreads);
    return raw_bits(keys[i % kPerPiece]);
  }
};

// A thread's part of a ring of kStages strips, and the strip that it stands at.
template <class T, int kBytes, int kPieces>
class RingSlots {
 public:
  using Layout = LaneLayout<T, kPieces>;
  using Words = RingWords<T, kPieces>;
  static constexpr int kStages = kBytes / (kThreads * Layout::kPieces * 16);
  static_assert(kStages >= 2);

  __device__ explicit RingSlots(uint4* ring) : at_(ring + threadIdx.x) {}

  __device__ uint4* slot(int piece) const { return at_ + piece * kThreads; }
  __device__ Words read() const {
    Words words;
    words.slot = at_;
#pragma unroll
    for (int piece = 0; piece < Layout::kPieces; ++piece) {
      const uint4 four = *slot(piece);
      words.word[4 * piece] = four.x, words.word[4 * piece + 1] = four.y;
      words.word[4 * piece + 2] = four.z, words.word[4 * piece + 3] = four.w;
    }
    return words;
  }
  __device__ void advance() {
    const bool last = ++stage_ == kStages;
    at_ += last ? (1 - kStages) * Layout::kPieces * kThreads : Layout::kPieces * kThreads;
    if (last) stage_ = 0;
  }

 private:
  uint4* at_;
  int stage_ = 0;
};

// A matrix that is one long row, in strips by strip_order.hpp.
template <class T, int kBytes, int kPiecesOfLane>
class FlatRing {
 public:
  using Layout = LaneLayout<T, kPiecesOfLane>;
  using Slots = RingSlots<T, kBytes, kPiecesOfLane>;
  using Strip = FlatStrip<T, kPiecesOfLane>;
  static constexpr std::uint32_t kPieces = Strip::kPieces;

  // Fills the ring; the copies are under way when this returns.
  __device__ FlatRing(const Parameters& p, const Share& share, uint4* ring)
      : p_(p),
        slots_(ring),
        pieces_(static_cast<std::uint32_t>(std::uint64_t{p.shape.rows} * p.shape.columns /
                                           Layout::kPerPiece)),
        order_((pieces_ + kPieces - 1) / kPieces, static_cast<std::uint32_t>(share.number),
               static_cast<std::uint32_t>(share.count), warp_index(), kWarps),
        ahead_(order_.first),
        from_(static_cast<const uint4*>(p.keys) + lane_index()),
        policy_(read_once_policy(p.read_once_share)) {
    for (int stage = 0; stage < Slots::kStages; ++stage) copy_next();
  }

  // Has the L2 cache read some strips behind those in the ring, while there is nothing else to do.
  __device__ void prefetch(std::uint32_t strips) const {
    if (lane_index() != 0) return;
    for (std::int32_t strip = ahead_; strips > 0 && is_whole(strip); --strips) {
      prefetch_to_l2(begin_of(strip), kPieces * sizeof(uint4));
      strip = order_.behind(strip);
    }
  }

  // visit(strip, words) for each of the warp's strips; goes_on() is asked now and then.
  template <class Visit, class GoesOn>
  __device__ void run(Visit visit, GoesOn goes_on) {
    std::int32_t strip = order_.first;
    while (strip >= 0) {
      const std::int32_t above = max(strip - order_.stride * kStripsBetween, -1);
      for (; strip > above; strip = order_.behind(strip)) {
        wait_for_copies<Slots::kStages - 1>();
        visit(Strip(p_, static_cast<std::uint32_t>(strip), pieces_), slots_.read());
        copy_next();
      }
      if (strip >= 0 && !goes_on()) break;
    }
    wait_for_copies<0>();
  }

 private:
  // Strips that a warp reads between two looks at other warps' counts: matrices that are read in
  // some 50 us have no more strips a warp than this.
  static constexpr std::int32_t kStripsBetween = 32;

  // Neither none nor the part of a strip behind the others.
  __device__ bool is_whole(std::int32_t strip) const {
    return static_cast<std::uint32_t>(strip) < pieces_ / kPieces;
  }
  __device__ const uint4* begin_of(std::int32_t strip) const {
    return from_ + std::int64_t{strip} * std::int64_t{kPieces};
  }
  __device__ void copy_whole(const uint4* from) const {
    if constexpr (Layout::kPieces == 4) {
      copy_four_async<kThreads * 16, kWarpSize * 16>(slots_.slot(0), from, policy_);
    } else {
#pragma unroll
      for (int piece = 0; piece < Layout::kPieces; ++piece)
        copy_async(slots_.slot(piece), from + piece * kWarpSize);
    }
  }

  // Copies to where the slots stand, which then is the next strip's place.
  __device__ void copy_next() {
    const uint4* const from = begin_of(ahead_);
    if (is_whole(ahead_)) {
      copy_whole(from);
    } else if (ahead_ >= 0) {
      for (int piece = 0; piece < Layout::kPieces; ++piece)
        if (lane_index() + static_cast<std::uint32_t>(piece) * kWarpSize < pieces_ % kPieces)
          copy_async(slots_.slot(piece), from + piece * kWarpSize);
    }
    close_copy_group();
    slots_.advance();
    ahead_ = order_.behind(ahead_);
  }

  const Parameters& p_;
  Slots slots_;
  const std::uint32_t pieces_;
  const StripOrder order_;
  std::int32_t ahead_;       // the strip to copy next
  const uint4* const from_;  // this lane's first piece of strip 0
  const std::uint64_t policy_;
};

template <class T, bool kAffine, int kBytes>
class RowRing {
 public:
  using Layout = LaneLayout<T>;
  using Slots = RingSlots<T, kBytes, Layout::kPieces>;

  __device__ RowRing(const Parameters& p, const Share& share, uint4* ring)
      : p_(p),
        slots_(ring),
        walk_(p.shape, share.number, share.count, warp_index()),
        ahead_(walk_) {
    for (int stage = 0; stage < Slots::kStages; ++stage) copy_next();
  }

  template <class Visit, class GoesOn>
  __device__ void run(Visit visit, GoesOn) {
    for (; !walk_.done(); walk_.advance(p_.shape)) {
      wait_for_copies<Slots::kStages - 1>();
      if (walk_.inside(p_.shape)) visit(RowStrip<T, kAffine>(p_, walk_), slots_.read());
      copy_next();
    }
    wait_for_copies<0>();
  }

 private:
  __device__ void copy_next() {
    if (!ahead_.done()) {
      const std::uint32_t column = ahead_.column() + lane_index() * Layout::kPerPiece;
      const T* keys = static_cast<const T*>(p_.keys) +
                      (std::uint64_t{ahead_.row()} * p_.shape.columns + column);
      if (ahead_.row() < p_.shape.rows) {
#pragma unroll
        for (int piece = 0; piece < Layout::kPieces; ++piece)
          if (column + static_cast<std::uint32_t>(piece) * Layout::kPartColumns < p_.shape.columns)
            copy_async(slots_.slot(piece), keys + piece * Layout::kPartColumns);
      }
      ahead_.advance(p_.shape);
    }
    close_copy_group();
    slots_.advance();
  }

  const Parameters& p_;
  Slots slots_;
  RowWalk<kAffine> walk_, ahead_;
};

// Reads keys at any address: one strip ahead, key by key.
template <class T, bool kAffine>
class RowPrefetch {
 public:
  using Layout = LaneLayout<T>;
  using Words = LaneWords<T>;

  __device__ RowPrefetch(const Parameters& p, const Share& share, uint4*)
      : p_(p), walk_(p.shape, share.number, share.count, warp_index()), next_(load(walk_)) {}

  template <class Visit, class GoesOn>
  __device__ void run(Visit visit, GoesOn) {
    while (!walk_.done()) {
      const Words words = next_;
      const RowWalk<kAffine> here = walk_;
      walk_.advance(p_.shape);
      next_ = load(walk_);
      if (here.inside(p_.shape)) visit(RowStrip<T, kAffine>(p_, here), words);
    }
  }

 private:
  __device__ Words load(const RowWalk<kAffine>& walk) const {
    Words words{};
    if (walk.done() || !walk.inside(p_.shape)) return words;
    const T* row = static_cast<const T*>(p_.keys) + std::uint64_t{walk.row()} * p_.shape.columns;
#pragma unroll
    for (int i = 0; i < Layout::kKeys; ++i) {
      const std::uint32_t column = walk.column() + Layout::column(lane_index(), i);
      if (column < p_.shape.columns) words.put(i, row[column]);
    }
    return words;
  }

  const Parameters& p_;
  RowWalk<kAffine> walk_;
  Words next_;
};

// How the rows lie in memory, as far as the kernel may rely on it.
enum class RowLayout {
  any,
  aligned,  // each begins at a multiple of 16 bytes
  flat,     // and the columns are a multiple of 32
};

// kFlatPieces: of a lane, where the layout is flat.
template <class T, bool kAffine, RowLayout kLayout, int kBytes, int kFlatPieces>
using StripStream = std::conditional_t<
    kLayout == RowLayout::any, RowPrefetch<T, kAffine>,
    std::conditional_t<kLayout == RowLayout::flat, FlatRing<T, kBytes, kFlatPieces>,
                       RowRing<T, kAffine, kBytes>>>;

}  // namespace stepscope::kernels::batch_topk_device
