// SPDX-License-Identifier: Apache-2.0
// The gradient of 256 columns of one vector, summed by a warp over the tokens that activate its
// feature, in the list's order. Lane l has the piece's columns 4 l .. 4 l + 3 and 128 + 4 l .. 128
// + 4 l + 3, so that every access of a warp is contiguous.
#pragma once

#include "kernels/common/block_scan.cuh"
#include "kernels/common/numbers.cuh"
#include "kernels/sparse_decoder/decoder_pieces.hpp"
#include "kernels/sparse_decoder/list_entries.cuh"

namespace stepscope::kernels::sparse_decoder_device {

constexpr int kQuads = 2;
constexpr std::uint32_t kQuadColumns = kFeatureColumns / kQuads;
constexpr int kTokensAhead = 4;

struct ColumnParameters {
  FeaturePieces pieces;
  std::uint32_t model;
  ActiveFeatures list;  // by feature
  ConstLayerRows output_gradients;
};

inline ColumnParameters column_parameters(const SparseDecoderShape& shape,
                                          const ActiveFeatures& by_feature,
                                          const ConstLayerRows& output_gradients,
                                          FeatureOrder order) {
  return {FeaturePieces::of(shape, order), static_cast<std::uint32_t>(shape.model), by_feature,
          output_gradients};
}

// The part of a piece that this lane holds.
struct ColumnPlace {
  std::uint32_t line;    // line of the list
  std::uint32_t piece;   // number of the piece, as memory lies
  std::int64_t weight;   // the lane's first of all weights
  std::int64_t in_rows;  // and of a token's output gradients
  bool inside[kQuads];
  std::uint32_t columns_left;  // columns of the vector, from the piece's first on

  __device__ ColumnPlace(const ColumnParameters& p, std::uint32_t number) {
    const FeaturePiece of = p.pieces.piece(number);
    const std::uint32_t column = of.slab * kFeatureColumns + threadIdx.x % kWarpSize * 4;
    columns_left = p.model - of.slab * kFeatureColumns;
    const SparseDecoderShape shape{p.pieces.layers, p.pieces.features, p.model, 0};
    const std::int64_t vector = shape.vector(of.source, of.feature, of.target);
    line = of.source * p.pieces.features + of.feature;
    piece = static_cast<std::uint32_t>(vector) * p.pieces.slabs + of.slab;
    weight = vector * p.model + column;
    in_rows = of.target * p.output_gradients.layer_stride + column;
#pragma unroll
    for (int quad = 0; quad < kQuads; ++quad) inside[quad] = column + quad * kQuadColumns < p.model;
  }
};

// Returns the offset of an entry's token within the output gradients: strides are multiples of the
// unit, and offsets in units are below 2^32.
constexpr std::uint32_t kOffsetUnit = 8;
__device__ inline std::uint32_t token_offset(const ColumnParameters& p, std::uint32_t entry) {
  return static_cast<std::uint32_t>(p.list.indices[entry]) *
         static_cast<std::uint32_t>(p.output_gradients.token_stride / kOffsetUnit);
}

// Entries first .. end - 1 of the list. All lanes of a warp call it together.
template <class Gradient>
__device__ inline void sum_columns(const ColumnParameters& p, const ColumnPlace& place,
                                   std::uint32_t first, std::uint32_t end, float4 (&sums)[kQuads]) {
  const std::uint32_t lane = threadIdx.x % kWarpSize;
  const auto* const rows = static_cast<const Gradient*>(p.output_gradients.data) + place.in_rows;
  for (; first < end; first += kWarpSize) {
    const int count = static_cast<int>(min(end - first, std::uint32_t{kWarpSize}));
    const bool has = static_cast<int>(lane) < count;
    const std::uint32_t own = has ? token_offset(p, first + lane) : 0;
    const float value = has ? load_number(p.list.values, p.list.value_type, first + lane) : 0;
    for (int step = 0; step < count; step += kTokensAhead) {
      float4 read[kTokensAhead][kQuads] = {};
      float values[kTokensAhead];
#pragma unroll
      for (int u = 0; u < kTokensAhead; ++u) {
        const auto* const row =
            rows + kOffsetUnit * std::uint64_t{__shfl_sync(kAllLanes, own, step + u)};
        values[u] = __shfl_sync(kAllLanes, value, step + u);
#pragma unroll
        for (int quad = 0; quad < kQuads; ++quad)
          if (place.inside[quad] && step + u < count)
            read[u][quad] = load_four(row + quad * kQuadColumns);
      }
#pragma unroll
      for (int u = 0; u < kTokensAhead; ++u)
#pragma unroll
        for (int quad = 0; quad < kQuads; ++quad) {
          sums[quad].x = fmaf(values[u], read[u][quad].x, sums[quad].x);
          sums[quad].y = fmaf(values[u], read[u][quad].y, sums[quad].y);
          sums[quad].z = fmaf(values[u], read[u][quad].z, sums[quad].z);
          sums[quad].w = fmaf(values[u], read[u][quad].w, sums[quad].w);
        }
    }
  }
}

}  // namespace stepscope::kernels::sparse_decoder_device
