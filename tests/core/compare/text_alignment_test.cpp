// SPDX-License-Identifier: Apache-2.0
#include "core/compare/text_alignment.hpp"

#include <gmock/gmock.h>

namespace stepscope::compare_parts {
namespace {

using testing::ElementsAre;

constexpr std::uint32_t kNo = TextAlignment::kNoLine;

TEST(TextAlignment, AnInsertedLineShiftsTheRest) {
  EXPECT_THAT(align_texts({1, 2, 3}, {1, 9, 2, 3}).in_order, ElementsAre(0U, 2U, 3U));
}

TEST(TextAlignment, ADeletedLineHasNone) {
  EXPECT_THAT(align_texts({1, 2, 3}, {1, 3}).in_order, ElementsAre(0U, kNo, 1U));
}

TEST(TextAlignment, ALineThatMovedIsFoundApart) {
  const TextAlignment found = align_texts({1, 2, 3, 4}, {2, 3, 4, 1});
  EXPECT_THAT(found.in_order, ElementsAre(kNo, 0U, 1U, 2U));
  EXPECT_THAT(found.with_moves, ElementsAre(3U, 0U, 1U, 2U));
}

// 5 stands in both blocks: it moves with its own.
TEST(TextAlignment, ABlockTakesItsFrequentLinesAlong) {
  const TextAlignment found =
      align_texts({1, 5, 2, 10, 11, 5, 12, 13}, {10, 11, 5, 12, 13, 1, 5, 2});
  EXPECT_THAT(found.with_moves, ElementsAre(5U, 6U, 7U, 0U, 1U, 2U, 3U, 4U));
}

TEST(TextAlignment, OfEqualLinesTheOneWithEqualNeighboursIsTaken) {
  EXPECT_THAT(align_texts({1, 5, 2, 3}, {1, 9, 5, 8, 5, 2, 3}).in_order,
              ElementsAre(0U, 4U, 5U, 6U));
}

TEST(TextAlignment, LinesThatSayNothingArePairsOfNone) {
  EXPECT_THAT(align_texts({0, 1, 0}, {0, 1, 0}).in_order, ElementsAre(kNo, 0U + 1, kNo));
}

TEST(TextInCommon, IsTheShareOfEqualLinesWhereverTheyStand) {
  EXPECT_DOUBLE_EQ(text_in_common({1, 2, 0}, {2, 1}), 1);
  EXPECT_DOUBLE_EQ(text_in_common({1, 2}, {2, 3}), 0.5);
  EXPECT_DOUBLE_EQ(text_in_common({}, {}), 0);
}

}  // namespace
}  // namespace stepscope::compare_parts
