// SPDX-License-Identifier: Apache-2.0
// The sweep (sweep.cuh) of keys with terms of their column, by bands: a lane computes the bracket's
// ends as stored keys of its eight columns once, and compares whole runs of rows with them.
#pragma once

#include <cstdint>

#include "kernels/batch_topk/band.cuh"
#include "kernels/batch_topk/sweep.cuh"

namespace stepscope::kernels::batch_topk_device {

// Some floats that follow each other, at any address of a float.
template <int kCount>
__device__ inline void load_floats(const float* from, float (&values)[kCount]) {
  static_assert(kCount % 4 == 0);
  if (reinterpret_cast<std::uintptr_t>(from) % sizeof(float4) == 0) {
#pragma unroll
    for (int i = 0; i < kCount; i += 4) {
      const float4 four = *reinterpret_cast<const float4*>(from + i);
      values[i] = four.x, values[i + 1] = four.y;
      values[i + 2] = four.z, values[i + 3] = four.w;
    }
  } else {
#pragma unroll
    for (int i = 0; i < kCount; ++i) values[i] = from[i];
  }
}

// The ends for each word of a lane, those of its columns, the same in each row of a band.
template <class T>
class BandLimits {
 public:
  using Row = typename BandLayout<T>::Row;
  using In = EndsIn<T>;

  // Moves the limits to the columns of a strip; those of columns past the end are ignored.
  __device__ void move_to(const Parameters& p, const Ends& ends, std::uint32_t strip_column) {
#pragma unroll
    for (int piece = 0; piece < Row::kPieces; ++piece) {
      const std::uint32_t column =
          min(strip_column + Row::column(lane_index(), piece * Row::kPerPiece),
              p.shape.columns - Row::kPerPiece);
      float mean[Row::kPerPiece];
      float scale[Row::kPerPiece];
      load_floats(p.mean + column, mean);
      load_floats(p.scale + column, scale);
#pragma unroll
      for (int word = 0; word < 4; ++word) {
        decltype(In::low_key(ends)) low[In::kKeysOfWord];
        decltype(In::high_key(ends)) high[In::kKeysOfWord];
#pragma unroll
        for (int i = 0; i < In::kKeysOfWord; ++i) {
          const int key = word * In::kKeysOfWord + i;
          const Ends own = ends_of_column(ends, mean[key], scale[key]);
          low[i] = In::low_key(own);
          high[i] = In::high_key(own);
        }
        low_[4 * piece + word] = In::word_of(low);
        high_[4 * piece + word] = In::word_of(high);
      }
    }
  }

  __device__ typename In::Word low(int word) const {
    return low_[word % Row::kWords];
  }
  __device__ typename In::Word high(int word) const {
    return high_[word % Row::kWords];
  }

 private:
  typename In::Word low_[Row::kWords], high_[Row::kWords];
};

template <class T>
class BandSweep {
 public:
  // Called by the whole block; its bracket stands in shared memory.
  __device__ BandSweep(const Parameters& p, Collection& collection, SweepShared& shared)
      : p_(p), bracket_(shared.bracket), sink_(p, collection, /*plain=*/false, shared) {}

  __device__ void move_to(std::uint32_t column) {
    limits_.move_to(p_, ends_of<float>(bracket_.low, bracket_.high), column);
  }

  template <class Strip, class Words>
  __device__ void visit(const Strip& strip, const Words& words) {
    const std::uint32_t valid = strip.valid();
    Classes classes = classify(words, limits_);
    classes.above &= valid;
    strip.store(classes.above);
    above_ += static_cast<std::uint32_t>(__popc(classes.above));
    sink_.push(classes.unclear & valid, strip, words);
  }

  // Called once, by the whole block.
  __device__ void finish() { sink_.finish(above_); }

 private:
  const Parameters& p_;
  const Bracket& bracket_;
  BandLimits<T> limits_;
  CandidateSink<T, true> sink_;
  std::uint32_t above_ = 0;
};

// Bands a warp that the L2 cache reads while the bracket is waited for, beside the ring's: 26 MB.
constexpr std::uint32_t kBandPrefetch = 3;

// All registers of a multiprocessor: leaving some for a block of the sample, as the sweep of raw
// keys does, spilled limits (88.9 us in place of 84.5).
template <class T, int kBytes>
__global__ void __launch_bounds__(kThreads, 2)
    band_sweep_kernel(const __grid_constant__ Parameters p) {
  extern __shared__ __align__(kRingAlignment) uint4 ring[];
  __shared__ SweepShared shared;
  let_next_grid_start();
  const BatchTopkWarmStart known = known_before(p);  // before the keys stand in its way
  BandRing<T, kBytes> stream(p, ring);
  if (p.warm_start == nullptr && p.sampled_strips == 0) stream.prefetch(kBandPrefetch);
  begin_sweep<T, true>(p, known, shared);
  BandSweep<T> sweep(p, p.state->guessed, shared);
  stream.run([&](std::uint32_t column) { sweep.move_to(column); },
             [&](const auto& strip, const auto& words) { sweep.visit(strip, words); });
  sweep.finish();
}

}  // namespace stepscope::kernels::batch_topk_device
