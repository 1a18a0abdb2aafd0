// SPDX-License-Identifier: Apache-2.0
// How the work is cut, for host and device.
//
// Over tokens: a piece is a target and the columns that `lanes` lanes of 16 bytes span. Pieces are
// worked through one after the other, all tokens of each, so that the part of the weights which a
// piece reads stays in the L2 cache while tokens share it. The last target, which has the most
// sources, comes first: short pieces fill the end.
//
// Over features: a piece is a vector's 256 columns, in one of two orders (FeatureOrder).
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/common/divider.hpp"
#include "kernels/common/key_types.hpp"
#include "kernels/sparse_decoder/decoder_shape.hpp"
#include "kernels/sparse_decoder/feature_order.hpp"

namespace stepscope::kernels {

STEPSCOPE_HOST_DEVICE constexpr std::int64_t slabs_of(std::int64_t model, std::int64_t columns) {
  return (model + columns - 1) / columns;
}

// Pieces of all targets.
inline std::int64_t target_pieces(const SparseDecoderShape& shape, KeyType type, int lanes) {
  const std::int64_t columns = std::int64_t{lanes} * 16 / static_cast<std::int64_t>(bytes_of(type));
  return shape.layers * slabs_of(shape.model, columns);
}

// Returns the number of the target's piece with this slab of columns.
STEPSCOPE_HOST_DEVICE constexpr std::uint32_t piece_of(std::uint32_t target, std::uint32_t slab,
                                                       std::uint32_t layers, std::uint32_t slabs) {
  return (layers - 1 - target) * slabs + slab;
}

struct TargetPiece {
  std::uint32_t target, slab;

  STEPSCOPE_HOST_DEVICE static constexpr TargetPiece of(std::uint32_t piece, std::uint32_t layers,
                                                        std::uint32_t slabs) {
    return {layers - 1 - piece / slabs, piece % slabs};
  }
};

constexpr std::uint32_t kFeatureColumns = 256;

struct FeaturePiece {
  std::uint32_t source, feature, target, slab;
};

struct FeaturePieces {
  std::uint32_t layers = 0, features = 0, slabs = 0;
  FeatureOrder order = FeatureOrder::by_target;
  Divider by_features, by_slabs;

  // There is at least one piece.
  static FeaturePieces of(const SparseDecoderShape& shape, FeatureOrder order) {
    const auto features = static_cast<std::uint32_t>(shape.features);
    const auto slabs = static_cast<std::uint32_t>(slabs_of(shape.model, kFeatureColumns));
    return {static_cast<std::uint32_t>(shape.layers),
            features,
            slabs,
            order,
            Divider(features),
            Divider(slabs)};
  }
  // At most 2^31, as there are at most 2^34 weights and a vector has at least 8.
  STEPSCOPE_HOST_DEVICE constexpr std::uint32_t count() const {
    return layers * (layers + 1) / 2 * features * slabs;
  }
  STEPSCOPE_HOST_DEVICE FeaturePiece piece(std::uint32_t number) const {
    const auto [vector, slab] = by_slabs.divide(number);
    FeaturePiece piece =
        order == FeatureOrder::by_target ? vector_by_target(vector) : vector_in_memory(vector);
    piece.slab = slab;
    return piece;
  }

 private:
  STEPSCOPE_HOST_DEVICE static float near_root(float number) {
#ifdef __CUDA_ARCH__
    float root;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(number));
    return root;
#else
    return sqrtf(number);
#endif
  }
  // Targets rise slowest, then sources, features.
  STEPSCOPE_HOST_DEVICE FeaturePiece vector_by_target(std::uint32_t number) const {
    const auto [pair, feature] = by_features.divide(number);
    // Pairs before target t are t (t + 1) / 2.
    auto target = static_cast<std::uint32_t>(near_root(2 * static_cast<float>(pair)));
    while (target * (target + 1) / 2 > pair) --target;
    while ((target + 1) * (target + 2) / 2 <= pair) ++target;
    return {pair - target * (target + 1) / 2, feature, target, 0};
  }
  // Sources rise slowest, then features, targets.
  STEPSCOPE_HOST_DEVICE constexpr FeaturePiece vector_in_memory(std::uint32_t number) const {
    std::uint32_t source = 0;
    while (number >= features * (layers - source)) {
      number -= features * (layers - source);
      ++source;
    }
    const std::uint32_t feature = number / (layers - source);
    return {source, feature, source + number - feature * (layers - source), 0};
  }
};

}  // namespace stepscope::kernels
