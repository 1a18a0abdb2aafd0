// SPDX-License-Identifier: Apache-2.0
// The reference on matrices whose answer is plain.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernels/common/float_bits.hpp"
#include "kernels/row_topk/row_topk_reference.hpp"

namespace stepscope::kernels {
namespace {

using testing::ElementsAre;

RowTopkArguments arguments_of(const std::vector<float>& keys, std::int64_t rows,
                              std::int64_t count) {
  RowTopkArguments arguments;
  arguments.keys = keys.data();
  arguments.key_type = KeyType::float32;
  arguments.rows = rows;
  arguments.columns = static_cast<std::int64_t>(keys.size()) / rows;
  arguments.count = count;
  return arguments;
}

TEST(RowTopkReference, KeepsTheGreatestOfEachRowByColumn) {
  const std::vector<float> keys{1, 5, 3,  //
                                4, 2, 6};
  const RowTopkExpected expected = row_topk_reference(arguments_of(keys, 2, 2));
  EXPECT_THAT(expected.columns, ElementsAre(1, 2, 0, 2));
  EXPECT_THAT(expected.value_bits, ElementsAre(bits_of(5), bits_of(3), bits_of(4), bits_of(6)));
  EXPECT_THAT(expected.selected, ElementsAre(2, 2));
  EXPECT_THAT(expected.fired_bits, ElementsAre(0b111U));
  EXPECT_THAT(expected.fired_counts, ElementsAre(1U, 1U, 2U));
}

TEST(RowTopkReference, OfEqualKeysTheFirstColumns) {
  const std::vector<float> keys{7, 8, 7, 7};
  EXPECT_THAT(row_topk_reference(arguments_of(keys, 1, 2)).columns, ElementsAre(0, 1));
}

TEST(RowTopkReference, ZeroesOfEitherSignAreEqualAndKeepTheirs) {
  const std::vector<float> keys{-1, -0.0F, 0.0F};
  RowTopkArguments arguments = arguments_of(keys, 1, 1);
  EXPECT_THAT(row_topk_reference(arguments).columns, ElementsAre(1));
  EXPECT_THAT(row_topk_reference(arguments).value_bits, ElementsAre(0x80000000U));
  arguments.values_as = RowTopkValues::relu;
  EXPECT_THAT(row_topk_reference(arguments).value_bits, ElementsAre(0U));
}

TEST(RowTopkReference, NanIsRejectedOrComesFirst) {
  const std::vector<float> keys{1, std::nanf(""), INFINITY, -INFINITY};
  RowTopkArguments arguments = arguments_of(keys, 1, 4);
  EXPECT_THAT(row_topk_reference(arguments).columns, ElementsAre(0, 2, 3, -1));
  EXPECT_THAT(row_topk_reference(arguments).selected, ElementsAre(3));
  arguments.nan = NanPolicy::select;
  arguments.count = 1;
  EXPECT_THAT(row_topk_reference(arguments).columns, ElementsAre(1));
  EXPECT_THAT(row_topk_reference(arguments).fired_bits, ElementsAre(0U));
}

TEST(RowTopkReference, PositivesOnlyMayLeaveFewer) {
  const std::vector<float> keys{0, 1, -0.0F, -2, 3};
  RowTopkArguments arguments = arguments_of(keys, 1, 3);
  arguments.positives_only = true;
  EXPECT_THAT(row_topk_reference(arguments).columns, ElementsAre(1, 4, -1));
  EXPECT_THAT(row_topk_reference(arguments).value_bits, ElementsAre(bits_of(1), bits_of(3), 0U));
}

TEST(RowTopkReference, OnlyConsideredColumns) {
  const std::vector<float> keys{9, 1, 2, 8, 7};
  const std::uint32_t considered = 0b10110U;
  RowTopkArguments arguments = arguments_of(keys, 1, 2);
  arguments.considered = &considered;
  EXPECT_THAT(row_topk_reference(arguments).columns, ElementsAre(2, 4));
}

TEST(RowTopkReference, FiresAboveTheGivenValue) {
  const std::vector<float> keys{0.5F, 1, 2};
  RowTopkArguments arguments = arguments_of(keys, 1, 3);
  arguments.fired.above = 1;
  EXPECT_THAT(row_topk_reference(arguments).fired_counts, ElementsAre(0U, 0U, 1U));
}

TEST(RowTopkReference, CountsOutsideTheRow) {
  const std::vector<float> keys{1, 2};
  EXPECT_THAT(row_topk_reference(arguments_of(keys, 1, 4)).columns, ElementsAre(0, 1, -1, -1));
  EXPECT_THAT(row_topk_reference(arguments_of(keys, 1, -1)).columns, ElementsAre());
  EXPECT_THAT(row_topk_reference(arguments_of(keys, 1, 0)).selected, ElementsAre(0));
}

TEST(RowTopkReference, SixteenBitKeysCompareInTheirOwnType) {
  const std::vector<Bfloat16> keys{{0x3f80}, {0x4000}, {0xbf80}};
  RowTopkArguments arguments;
  arguments.keys = keys.data();
  arguments.rows = 1;
  arguments.columns = 3;
  arguments.count = 1;
  EXPECT_THAT(row_topk_reference(arguments).columns, ElementsAre(1));
  EXPECT_THAT(row_topk_reference(arguments).value_bits, ElementsAre(0x4000U));
}

}  // namespace
}  // namespace stepscope::kernels
