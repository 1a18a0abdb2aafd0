// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/comm/gradient_buckets.hpp"

#include <ATen/ops/ones.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stepscope::trainers {
namespace {

BucketedWeight weight(std::int64_t numbers, bool decays) {
  return {at::ones({numbers}).set_requires_grad(true), decays};
}

TEST(GradientBuckets, HoldEveryWeightOnceLastFirstAndKindsApart) {
  const std::vector<BucketedWeight> all{weight(300, true), weight(5, false), weight(1000, true),
                                        weight(10, true)};
  const std::vector<Bucket> buckets = plan_buckets(all, 3, 4 * 1200);
  ASSERT_EQ(buckets.size(), 3U);
  EXPECT_THAT(buckets[0].places, testing::ElementsAre(3, 2));
  EXPECT_THAT(buckets[0].begins, testing::ElementsAre(0, kBucketAlign));
  EXPECT_EQ(buckets[0].share, 3 * kBucketAlign) << "1128 numbers of three ranks, aligned";
  EXPECT_THAT(buckets[1].places, testing::ElementsAre(0));
  EXPECT_THAT(buckets[2].places, testing::ElementsAre(1));
  EXPECT_FALSE(buckets[2].decays);
}

}  // namespace
}  // namespace stepscope::trainers
