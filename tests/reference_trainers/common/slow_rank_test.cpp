// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/common/slow_rank.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <vector>

#include "reference_trainers/common/trainer_options.hpp"

namespace stepscope::trainers {
namespace {

using testing::HasSubstr;

Result<SlowRank> read_slow(const std::vector<const char*>& words) {
  SlowRank slow;
  CLI::App app("Trains nothing", "train_made");
  add_slow_rank(app, slow);
  const auto help = parse_words(app, words);
  if (!help) return help.error();
  return slow;
}

TEST(SlowRank, IsARankAndWhatIsSlowOnIt) {
  const Result<SlowRank> slow = read_slow({"--slow-rank", "3:link", "--slow-ms", "7.5"});
  ASSERT_TRUE(slow);
  EXPECT_EQ(slow->rank, 3);
  EXPECT_EQ(slow->part, SlowPart::link);
  EXPECT_EQ(about(*slow), "link on rank 3, 7.5 ms a step");
}

TEST(SlowRank, IsNoneWithoutTheOption) {
  const Result<SlowRank> slow = read_slow({});
  ASSERT_TRUE(slow);
  EXPECT_TRUE(check_slow_rank(*slow, 1));
}

TEST(SlowRank, MistakesSayWhatIsTaken) {
  for (const char* text : {"1", "1:", ":data", "x:data", "-1:data", "1:disk", "1:data:2", ""}) {
    const Result<SlowRank> slow = read_slow({"--slow-rank", text});
    ASSERT_FALSE(slow) << text;
    EXPECT_THAT(slow.error().message, HasSubstr("is not RANK:data, RANK:compute or RANK:link"));
  }
  EXPECT_FALSE(read_slow({"--slow-ms", "0"}));
}

TEST(SlowRank, IsOneOfTheJobsRanks) {
  const SlowRank slow{.rank = 2};
  EXPECT_TRUE(check_slow_rank(slow, 3));
  EXPECT_THAT(check_slow_rank(slow, 2).error().message, HasSubstr("the ranks are 0 to 1"));
  EXPECT_THAT(check_slow_rank(slow, 1).error().message, HasSubstr("add --nproc 2"));
}

}  // namespace
}  // namespace stepscope::trainers
