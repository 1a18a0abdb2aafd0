// SPDX-License-Identifier: Apache-2.0
// The reference on matrices whose answer is plain.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernels/batch_topk/batch_topk_reference.hpp"

namespace stepscope::kernels {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

BatchTopkArguments arguments_of(const std::vector<float>& keys, std::int64_t rows,
                                std::int64_t count) {
  BatchTopkArguments arguments;
  arguments.keys = keys.data();
  arguments.key_type = KeyType::float32;
  arguments.rows = rows;
  arguments.columns = static_cast<std::int64_t>(keys.size()) / rows;
  arguments.count = count;
  return arguments;
}

TEST(BatchTopkReference, KeepsTheGreatest) {
  const std::vector<float> keys{1, 5, 3,  //
                                4, 2, 6};
  const BatchTopkExpected expected = batch_topk_reference(arguments_of(keys, 2, 3));
  EXPECT_THAT(expected.mask, ElementsAre(0b010U, 0b101U));
  EXPECT_EQ(expected.threshold, 4);
  EXPECT_EQ(expected.selected, 3);
  EXPECT_EQ(expected.last_column, 0);
  EXPECT_EQ(expected.last_row, 1);
}

TEST(BatchTopkReference, EqualKeysGoDownTheColumns) {
  const std::vector<float> keys{7, 7, 7,  //
                                7, 7, 7};
  EXPECT_THAT(batch_topk_reference(arguments_of(keys, 2, 3)).mask, ElementsAre(0b011U, 0b001U));
  EXPECT_THAT(batch_topk_reference(arguments_of(keys, 2, 4)).mask, ElementsAre(0b011U, 0b011U));
}

TEST(BatchTopkReference, ZeroesOfEitherSignAreEqual) {
  const std::vector<float> keys{-0.0F, 0.0F, -1};
  const BatchTopkExpected expected = batch_topk_reference(arguments_of(keys, 1, 1));
  EXPECT_THAT(expected.mask, ElementsAre(0b001U));
  EXPECT_EQ(expected.threshold, 0);
}

TEST(BatchTopkReference, NanIsRejectedOrComesFirst) {
  const std::vector<float> keys{1, std::nanf(""), INFINITY, -INFINITY};
  BatchTopkArguments arguments = arguments_of(keys, 1, 2);
  EXPECT_THAT(batch_topk_reference(arguments).mask, ElementsAre(0b0101U));
  EXPECT_EQ(batch_topk_reference(arguments).nan_count, 1);
  arguments.count = 4;
  EXPECT_EQ(batch_topk_reference(arguments).selected, 3);
  arguments.nan = NanPolicy::select;
  arguments.count = 1;
  EXPECT_THAT(batch_topk_reference(arguments).mask, ElementsAre(0b0010U));
  EXPECT_TRUE(std::isnan(batch_topk_reference(arguments).threshold));
}

TEST(BatchTopkReference, PositivesOnlyMayLeaveFewer) {
  const std::vector<float> keys{1, 0, -0.0F, -2, 3};
  BatchTopkArguments arguments = arguments_of(keys, 1, 4);
  arguments.positives_only = true;
  const BatchTopkExpected expected = batch_topk_reference(arguments);
  EXPECT_THAT(expected.mask, ElementsAre(0b10001U));
  EXPECT_EQ(expected.selected, 2);
  EXPECT_EQ(expected.threshold, 1);
}

TEST(BatchTopkReference, CountsOutsideTheMatrix) {
  const std::vector<float> keys{1, 2, 3};
  EXPECT_THAT(batch_topk_reference(arguments_of(keys, 1, 9)).mask, ElementsAre(0b111U));
  EXPECT_THAT(batch_topk_reference(arguments_of(keys, 1, -1)).mask, ElementsAre(0U));
  EXPECT_EQ(batch_topk_reference(arguments_of(keys, 1, 0)).threshold, INFINITY);
}

TEST(BatchTopkReference, AffineKeysRankWithinTheirColumn) {
  const std::vector<float> keys{10, 1,  //
                                20, 9};
  std::vector<float> mean{10, 1};
  std::vector<float> scale{0.1F, 1};
  BatchTopkArguments arguments = arguments_of(keys, 2, 1);
  arguments.column_keys = {KeySource::affine, 0, mean.data(), scale.data()};
  const BatchTopkExpected expected = batch_topk_reference(arguments);
  EXPECT_THAT(expected.mask, ElementsAre(0U, 0b10U));
  EXPECT_EQ(expected.threshold, 8);
}

TEST(BatchTopkReference, StatisticsAreUnbiased) {
  const std::vector<float> keys{1, 5, 3, 5};
  BatchTopkArguments arguments = arguments_of(keys, 2, 1);
  arguments.column_keys.epsilon = 0.5F;
  const ColumnStatistics statistics = column_statistics_reference(arguments);
  EXPECT_THAT(statistics.mean, ElementsAre(2, 5));
  EXPECT_THAT(statistics.scale,
              ElementsAre(DoubleNear(1 / (std::sqrt(2.0) + 0.5), 1e-12), DoubleNear(2, 1e-12)));
}

TEST(BatchTopkReference, SixteenBitKeysCompareInTheirOwnType) {
  const std::vector<Bfloat16> keys{{0x3f80}, {0x4000}, {0xbf80}};
  BatchTopkArguments arguments;
  arguments.keys = keys.data();
  arguments.rows = 1;
  arguments.columns = 3;
  arguments.count = 1;
  EXPECT_THAT(batch_topk_reference(arguments).mask, ElementsAre(0b010U));
  EXPECT_EQ(batch_topk_reference(arguments).threshold, 2);
}

}  // namespace
}  // namespace stepscope::kernels
