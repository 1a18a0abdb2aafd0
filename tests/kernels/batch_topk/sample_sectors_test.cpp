// SPDX-License-Identifier: Apache-2.0
#include "kernels/batch_topk/sample_sectors.hpp"

#include <gtest/gtest.h>

namespace stepscope::kernels {
namespace {

TEST(SampleSectors, HasOneOfEachRun) {
  for (const std::int64_t sectors :
       {kSampledSectors + 1, 3 * kSampledSectors, std::int64_t{75497473}, std::int64_t{1} << 30})
    for (std::int64_t i = 0; i < kSampledSectors; ++i) {
      const std::int64_t sector = sampled_sector(i, sectors);
      ASSERT_GE(sector, i * sectors / kSampledSectors) << i;
      ASSERT_LT(sector, (i + 1) * sectors / kSampledSectors) << i;
    }
}

TEST(SampleSectors, HasAllWhereTheyAreFew) {
  for (const std::int64_t sectors : {std::int64_t{0}, std::int64_t{1}, kSampledSectors})
    for (std::int64_t i = 0; i < kSampledSectors; ++i)
      ASSERT_EQ(sampled_sector(i, sectors), i < sectors ? i : -1);
}

TEST(SampleSectors, OneItemOfEachRunIsChosen) {
  for (const std::int64_t runs : {1, 3, 512})
    for (const std::int64_t items : {runs, runs + 1, 2 * runs - 1, 9 * runs, 1000 * runs + 7}) {
      std::int64_t chosen = 0;
      for (std::int64_t item = 0; item < items; ++item)
        if (is_chosen(item, runs, items)) {
          ASSERT_EQ(chosen_of_run(chosen, runs, items), item) << runs << " of " << items;
          ++chosen;
        }
      EXPECT_EQ(chosen, runs) << items;
    }
}

// Whatever the period: of four neighbouring sectors each is chosen about as often.
TEST(SampleSectors, FollowNoPeriod) {
  constexpr std::int64_t kLength = 4;
  std::int64_t chosen[kLength] = {};
  for (std::int64_t i = 0; i < kSampledSectors; ++i)
    ++chosen[sampled_sector(i, kLength * kSampledSectors) % kLength];
  for (const std::int64_t count : chosen)
    EXPECT_NEAR(static_cast<double>(count) * kLength / kSampledSectors, 1, 0.05);
}

}  // namespace
}  // namespace stepscope::kernels
