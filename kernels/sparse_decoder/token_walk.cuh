// SPDX-License-Identifier: Apache-2.0
// The walk that the forward pass and the gradients of activations share: a warp takes one piece of
// one token, and walks the token's active features whose source is at most the piece's target.
//
// The warp is split into groups of kLanes; each group reads the piece of another vector, each lane
// 16 bytes of it. A lane looks one entry up, and hands it to the others by shuffles.
#pragma once

#include "kernels/common/block_scan.cuh"
#include "kernels/common/numbers.cuh"
#include "kernels/sparse_decoder/decoder_pieces.hpp"
#include "kernels/sparse_decoder/list_entries.cuh"

namespace stepscope::kernels::sparse_decoder_device {

constexpr int kWalkThreads = 256;
constexpr int kWalkBlocks = 4;  // a multiprocessor
constexpr int kRowsAhead = 4;   // loads in flight a lane

struct WalkParameters {
  ActiveFeatures list;
  const uint4* weights;
  std::uint32_t layers, features, tokens, slabs;
  std::uint32_t model;          // numbers of a vector
  std::uint32_t vector_pieces;  // 16-byte parts of a vector
  std::uint32_t items;          // a piece of a token each
};

// Where this lane stands.
template <class T, int kLanes>
struct WalkPlace {
  static constexpr int kNumbers = kNumbersOf16Bytes<T>;

  std::uint32_t piece, token;
  TargetPiece of;
  std::uint32_t group;   // number of the group within the warp
  std::uint32_t part;    // the vector's 16 bytes that this lane reads
  std::uint32_t column;  // its first number
  bool inside;

  __device__ WalkPlace(const WalkParameters& p, std::uint32_t item) {
    piece = item / p.tokens;
    token = item - piece * p.tokens;
    of = TargetPiece::of(piece, p.layers, p.slabs);
    const std::uint32_t lane = threadIdx.x % kWarpSize;
    group = lane / kLanes;
    part = of.slab * kLanes + lane % kLanes;
    column = part * kNumbers;
    inside = column < p.model;
  }
};

__device__ inline std::uint32_t walk_item() {
  return blockIdx.x * (kWalkThreads / kWarpSize) + threadIdx.x / kWarpSize;
}

// Every lane's vector, in 16-byte parts from the weights' begin.
__device__ inline std::uint32_t vector_part(const WalkParameters& p, std::uint32_t column,
                                            std::uint32_t target) {
  const std::uint32_t source = column / p.features;
  const std::uint32_t feature = column - source * p.features;
  const std::uint32_t targets_before = source * p.layers - source * (source - 1) / 2;
  return (p.features * targets_before + feature * (p.layers - source) + target - source) *
         p.vector_pieces;
}

// use(entry, rows, values) for each kRowsAhead rows of each group: the list's entry that the warp's
// first group has first, the 16 bytes of each row, and its value. Row u of group g is entry + u *
// groups + g; past the last entry rows and values are 0, and `count` entries are real.
template <class T, int kLanes, bool kWithValues, class Use>
__device__ inline void walk_token(const WalkParameters& p, const WalkPlace<T, kLanes>& place,
                                  Use use) {
  constexpr int kGroups = kWarpSize / kLanes;
  constexpr int kStep = kGroups * kRowsAhead;
  constexpr std::uint32_t kNone = 0xffffffffU;
  const std::uint32_t lane = threadIdx.x % kWarpSize;
  const std::uint32_t end_of_target = (place.of.target + 1) * p.features;
  const std::uint32_t end = entry_at(p.list, place.token + 1);
  const auto column_at = [&](std::uint32_t first) {
    return first + lane < end ? static_cast<std::uint32_t>(p.list.indices[first + lane]) : kNone;
  };
  const auto value_at = [&](std::uint32_t first) {
    if (!kWithValues || first + lane >= end) return 0.0F;
    return load_number(p.list.values, p.list.value_type, first + lane);
  };
  std::uint32_t first = entry_at(p.list, place.token);
  std::uint32_t next_column = column_at(first);
  float next_value = value_at(first);
  for (int count = kWarpSize; count == kWarpSize; first += kWarpSize) {
    const bool taken = next_column < end_of_target;
    count = __popc(__ballot_sync(kAllLanes, taken));  // the first ones, as columns rise
    const std::uint32_t own = taken ? vector_part(p, next_column, place.of.target) : 0;
    const float own_value = taken ? next_value : 0;
    if (count == kWarpSize) {
      next_column = column_at(first + kWarpSize);
      next_value = value_at(first + kWarpSize);
    }
    for (int step = 0; step < count; step += kStep) {
      uint4 rows[kRowsAhead];
      float values[kRowsAhead];
#pragma unroll
      for (int u = 0; u < kRowsAhead; ++u) {
        const int entry = step + u * kGroups + static_cast<int>(place.group);
        const std::uint32_t begin = __shfl_sync(kAllLanes, own, entry);
        values[u] = kWithValues ? __shfl_sync(kAllLanes, own_value, entry) : 0;
        rows[u] = uint4{0, 0, 0, 0};
        if (place.inside && entry < count) rows[u] = __ldcg(p.weights + begin + place.part);
      }
      use(first + static_cast<std::uint32_t>(step), count - step, rows, values);
    }
  }
}

// Converts a host function's arguments.
inline WalkParameters walk_parameters(const SparseDecoderShape& shape, const ActiveFeatures& list,
                                      const void* weights, KeyType type, int lanes) {
  const auto vector_bytes =
      static_cast<std::uint32_t>(shape.model) * static_cast<std::uint32_t>(bytes_of(type));
  const auto pieces = static_cast<std::uint32_t>(target_pieces(shape, type, lanes));
  WalkParameters p{};
  p.list = list;
  p.weights = static_cast<const uint4*>(weights);
  p.layers = static_cast<std::uint32_t>(shape.layers);
  p.features = static_cast<std::uint32_t>(shape.features);
  p.tokens = static_cast<std::uint32_t>(shape.tokens);
  p.slabs = pieces / p.layers;
  p.model = static_cast<std::uint32_t>(shape.model);
  p.vector_pieces = vector_bytes / 16;
  p.items = pieces * p.tokens;
  return p;
}
inline unsigned walk_blocks(const WalkParameters& p) {
  constexpr std::uint32_t kWarps = kWalkThreads / kWarpSize;
  return (p.items + kWarps - 1) / kWarps;
}

}  // namespace stepscope::kernels::sparse_decoder_device
