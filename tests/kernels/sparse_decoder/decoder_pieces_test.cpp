// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "kernels/sparse_decoder/decoder_pieces.hpp"

namespace stepscope::kernels {
namespace {

TEST(DecoderPieces, LastTargetComesFirst) {
  const SparseDecoderShape shape{3, 5, 768, 4};
  EXPECT_EQ(target_pieces(shape, KeyType::bfloat16, 32), 9);
  EXPECT_EQ(target_pieces(shape, KeyType::float32, 8), 72);
  for (std::uint32_t piece = 0; piece < 9; ++piece) {
    const TargetPiece of = TargetPiece::of(piece, 3, 3);
    EXPECT_EQ(of.target, 2 - piece / 3);
    EXPECT_EQ(piece_of(of.target, of.slab, 3, 3), piece);
  }
}

std::int64_t vector_of(const SparseDecoderShape& shape, const FeaturePiece& piece) {
  return shape.vector(piece.source, piece.feature, piece.target);
}

TEST(DecoderPieces, FeaturePiecesByTargetCoverAllVectorsOnce) {
  for (const std::int64_t layers : {1, 2, 7, 12}) {
    const SparseDecoderShape shape{layers, 3, 264, 1};
    const FeaturePieces pieces = FeaturePieces::of(shape, FeatureOrder::by_target);
    ASSERT_EQ(pieces.slabs, 2U);
    ASSERT_EQ(pieces.count(), static_cast<std::uint32_t>(shape.pairs() * 3 * 2));
    std::set<std::tuple<std::int64_t, std::uint32_t>> seen;
    std::uint32_t target = 0;
    for (std::uint32_t i = 0; i < pieces.count(); ++i) {
      const FeaturePiece piece = pieces.piece(i);
      ASSERT_LE(piece.source, piece.target);
      ASSERT_LT(piece.target, static_cast<std::uint32_t>(layers));
      ASSERT_GE(piece.target, target);
      target = piece.target;
      seen.emplace(vector_of(shape, piece), piece.slab);
    }
    EXPECT_EQ(seen.size(), pieces.count());
    EXPECT_EQ(std::get<0>(*seen.rbegin()), shape.pairs() * 3 - 1);
  }
}

TEST(DecoderPieces, FeaturePiecesInMemoryRiseByOneVector) {
  for (const std::int64_t layers : {1, 2, 7, 12}) {
    const SparseDecoderShape shape{layers, 3, 264, 1};
    const FeaturePieces pieces = FeaturePieces::of(shape, FeatureOrder::in_memory);
    for (std::uint32_t i = 0; i < pieces.count(); ++i) {
      EXPECT_EQ(vector_of(shape, pieces.piece(i)), i / 2) << i;
      EXPECT_EQ(pieces.piece(i).slab, i % 2);
    }
  }
}

// The square root that a piece's target is found by is rounded.
TEST(DecoderPieces, TargetsAreRightAtTheEndsOfManyLayers) {
  const FeaturePieces pieces{1024, 1, 1};
  for (std::uint32_t target = 0; target < 1024; ++target) {
    const std::uint32_t first = target * (target + 1) / 2;
    EXPECT_EQ(pieces.piece(first).target, target);
    EXPECT_EQ(pieces.piece(first).source, 0U);
    EXPECT_EQ(pieces.piece(first + target).target, target);
    EXPECT_EQ(pieces.piece(first + target).source, target);
  }
}

}  // namespace
}  // namespace stepscope::kernels
