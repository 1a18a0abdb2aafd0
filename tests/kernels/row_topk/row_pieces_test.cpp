// SPDX-License-Identifier: Apache-2.0
// Each key of a row lies in one piece, at any address and length, and nothing else is taken for
// one.
#include "kernels/row_topk/row_pieces.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "kernels/common/key_types.hpp"

namespace stepscope::kernels {
namespace {

template <class T>
class RowPiecesOf : public testing::Test {};
using Types = testing::Types<Bfloat16, float>;
TYPED_TEST_SUITE(RowPiecesOf, Types);

TYPED_TEST(RowPiecesOf, HoldEachKeyOnce) {
  using Pieces = RowPieces<TypeParam>;
  for (std::uint32_t skipped = 0; skipped < Pieces::kPerPiece; ++skipped)
    for (std::uint32_t columns = 0; columns < 40; ++columns) {
      const Pieces pieces(4096 + skipped * sizeof(TypeParam), columns);
      std::vector<int> seen(columns);
      for (std::uint32_t piece = 0; piece < pieces.size() + 3; ++piece) {
        EXPECT_EQ(pieces.is_edge(piece), pieces.inside(piece) != (1U << Pieces::kPerPiece) - 1U);
        for (std::uint32_t i = 0; i < Pieces::kPerPiece; ++i) {
          const bool inside = (pieces.inside(piece) >> i & 1U) != 0;
          const std::uint32_t column = pieces.column(piece, i);
          ASSERT_EQ(inside, column < columns) << skipped << " " << columns << " " << piece;
          if (inside) ++seen[column];
        }
      }
      EXPECT_EQ(seen, std::vector<int>(columns, 1)) << skipped << " " << columns;
    }
}

TYPED_TEST(RowPiecesOf, AreReadUpToTheRowsEndAlone) {
  using Pieces = RowPieces<TypeParam>;
  for (std::uint32_t skipped = 0; skipped < Pieces::kPerPiece; ++skipped)
    for (std::uint32_t columns = 1; columns < 40; ++columns) {
      const Pieces pieces(4096 + skipped * sizeof(TypeParam), columns);
      std::size_t bytes = 0;
      for (std::uint32_t piece = 0; piece < pieces.size() + 3; ++piece) {
        EXPECT_EQ(piece < pieces.whole(), pieces.bytes_to_end(piece) == kPieceBytes);
        EXPECT_LE(pieces.bytes_to_end(piece), kPieceBytes);
        bytes += pieces.bytes_to_end(piece);
      }
      EXPECT_EQ(bytes, pieces.skipped_bytes() + columns * sizeof(TypeParam));
    }
}

TEST(RowPieces, OfTheWidestRowFit) {
  constexpr std::uint32_t kColumns = 0x7fffffff;
  const RowPieces<float> pieces(12, kColumns);
  EXPECT_EQ(pieces.size(), (kColumns + 3U + 3U) / 4U);
  EXPECT_EQ(pieces.column(pieces.size() - 1, 0) + 1, kColumns - 1);
  EXPECT_EQ(pieces.bytes_to_end(pieces.size() - 1), 8U);
}

}  // namespace
}  // namespace stepscope::kernels
