// SPDX-License-Identifier: Apache-2.0
// Brings a worker's strips to its warps, in the order of its walk, with many loads under way.
//
// Through shared memory: each thread copies its own 16-byte pieces into a ring of its own with
// cp.async and reads them back itself, so there is no barrier, few registers, and the copies begin
// before the kernel knows what to do with them. Through registers, one strip ahead, for matrices
// whose rows do not begin at multiples of 16 bytes.
#pragma once

#include <cstdint>

#include "kernels/batch_topk/lane_keys.cuh"
#include "kernels/batch_topk/state.cuh"

namespace stepscope::kernels::batch_topk_device {

constexpr int kThreads = 512;
constexpr int kWarps = kThreads / kWarpSize;
constexpr int kRingBytes = 64 * 1024;  // a block

__device__ inline std::uint32_t lane_index() {
  return threadIdx.x % kWarpSize;
}
__device__ inline std::uint32_t warp_index() {
  return threadIdx.x / kWarpSize;
}

__device__ inline void copy_async(void* shared, const void* global) {
  const auto to = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(global) : "memory");
}
__device__ inline void close_copy_group() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
template <int kLeft>
__device__ inline void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kLeft) : "memory");
}

template <class T, bool kAffine>
class StripRing {
 public:
  using Layout = LaneLayout<T, kAffine>;
  using Words = LaneWords<T, kAffine>;
  static constexpr std::uint32_t kStageBytes = kThreads * Layout::kPieces * 16;
  static constexpr int kStages = kRingBytes / static_cast<int>(kStageBytes);

  // Fills the ring; the copies are under way when this returns.
  __device__ StripRing(const Parameters& p, const Walk& walk, uint4* ring)
      : p_(p), ahead_(walk), ring_(ring + threadIdx.x) {
    for (std::uint32_t stage = 0; stage < kStages; ++stage) copy_next(stage);
  }

  // visit(walk, words) for each step in which the warp has a strip.
  template <class Visit>
  __device__ void run(Walk walk, Visit visit) {
    std::uint32_t stage = 0;
    for (; !walk.done(); walk.advance()) {
      wait_for_copies<kStages - 1>();
      const Words words = read(stage);
      if (walk.inside(p_.shape)) visit(walk, words);
      copy_next(stage);
      stage = stage + 1 == kStages ? 0 : stage + 1;
    }
    wait_for_copies<0>();
  }

 private:
  __device__ uint4* slot(std::uint32_t stage, int piece) const {
    return ring_ + (stage * Layout::kPieces + static_cast<std::uint32_t>(piece)) * kThreads;
  }
  __device__ Words read(std::uint32_t stage) const {
    Words words;
#pragma unroll
    for (int piece = 0; piece < Layout::kPieces; ++piece) {
      const uint4 four = *slot(stage, piece);
      words.word[4 * piece] = four.x, words.word[4 * piece + 1] = four.y;
      words.word[4 * piece + 2] = four.z, words.word[4 * piece + 3] = four.w;
    }
    return words;
  }
  __device__ void copy_next(std::uint32_t stage) {
    if (!ahead_.done()) {
      const std::uint32_t column = ahead_.column() + lane_index() * Layout::kPerPiece;
      const T* keys = static_cast<const T*>(p_.keys) +
                      (std::uint64_t{ahead_.row()} * p_.shape.columns + column);
      if (ahead_.row() < p_.shape.rows) {
#pragma unroll
        for (int piece = 0; piece < Layout::kPieces; ++piece)
          if (column + static_cast<std::uint32_t>(piece) * Layout::kPartColumns < p_.shape.columns)
            copy_async(slot(stage, piece), keys + piece * Layout::kPartColumns);
      }
      ahead_.advance();
    }
    close_copy_group();
  }

  const Parameters& p_;
  Walk ahead_;
  uint4* const ring_;
};

// The same for keys at any address: one strip ahead, key by key.
template <class T, bool kAffine>
class StripPrefetch {
 public:
  using Layout = LaneLayout<T, kAffine>;
  using Words = LaneWords<T, kAffine>;

  __device__ StripPrefetch(const Parameters& p, const Walk& walk, uint4*)
      : p_(p), next_(load(walk)) {}

  template <class Visit>
  __device__ void run(Walk walk, Visit visit) {
    while (!walk.done()) {
      const Words words = next_;
      const Walk here = walk;
      walk.advance();
      next_ = load(walk);
      if (here.inside(p_.shape)) visit(here, words);
    }
  }

 private:
  __device__ Words load(const Walk& walk) const {
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
  Words next_;
};

template <class T, bool kAffine, bool kAligned>
using StripStream = std::conditional_t<kAligned, StripRing<T, kAffine>, StripPrefetch<T, kAffine>>;

}  // namespace stepscope::kernels::batch_topk_device
