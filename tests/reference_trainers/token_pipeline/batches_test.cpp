// SPDX-License-Identifier: Apache-2.0
// Which samples a step trains, that both collators make the same batch of them, and that workers
// give out all batches in their order.
#include <ATen/ops/equal.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "reference_trainers/token_pipeline/data/batch_feed.hpp"
#include "reference_trainers/token_pipeline/data/collate.hpp"
#include "tests/reference_trainers/token_pipeline/small_pipeline.hpp"

namespace stepscope::token_pipeline {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

TEST(SampleOrder, AnEpochTakesEachSampleOnceAndRanksShareTheStep) {
  Config config = small_pipeline();
  config.batch = 5;
  const Regions regions = make_regions(config);
  SampleOrder alone = *SampleOrder::make(config, regions);
  config.batch = 1;
  config.ranks = 5;
  SampleOrder shared = *SampleOrder::make(config, regions);
  ASSERT_EQ(alone.steps_of_epoch(), 4);
  std::set<std::int64_t> seen;
  for (std::int64_t step = 0; step < 4; ++step) {
    const auto samples = alone.samples_of(step);
    seen.insert(samples.begin(), samples.end());
    std::vector<std::int64_t> of_ranks;
    for (int rank = 0; rank < 5; ++rank) of_ranks.push_back(shared.samples_of(step, rank).at(0));
    EXPECT_EQ(of_ranks, samples);
  }
  EXPECT_THAT(seen, SizeIs(20));
  EXPECT_NE(alone.samples_of(0), alone.samples_of(4)) << "the next epoch has an order of its own";
}

TEST(SampleOrder, TooFewSamplesForAStepAreRefused) {
  Config config = small_pipeline();
  config.batch = 21;
  EXPECT_THAT(SampleOrder::make(config, make_regions(config)).error().message,
              HasSubstr("there are 20 samples, a step of one rank takes 21; lower --batch"));
}

TEST(StepPlan, PartsHoldEverySampleOnceAndAreSortedByLength) {
  const Config config = small_pipeline();
  const Regions regions = make_regions(config);
  std::vector<std::int64_t> samples(13);
  std::iota(samples.begin(), samples.end(), 2);
  const StepPlan whole = plan_step(regions, samples, 1), cut = plan_step(regions, samples, 4);
  EXPECT_EQ(whole.samples, samples);
  EXPECT_EQ(cut.rows, whole.rows);
  EXPECT_TRUE(std::is_permutation(cut.samples.begin(), cut.samples.end(), samples.begin()));
  std::int64_t rows = 0, count = 0, longest = 0;
  for (const Part& part : cut.parts) {
    EXPECT_EQ(part.first_row, rows);
    EXPECT_EQ(part.first_sample, count);
    EXPECT_GE(part.longest, longest);
    rows += part.rows, count += part.samples, longest = part.longest;
  }
  EXPECT_EQ(rows, cut.rows);
  EXPECT_EQ(count, 13);
  EXPECT_EQ(longest, whole.parts[0].longest);
}

void expect_same(const Batch& a, const Batch& b) {
  EXPECT_EQ(a.plan.samples, b.plan.samples);
  EXPECT_EQ(a.regions, b.regions);
  EXPECT_TRUE(at::equal(a.numbers, b.numbers));
  EXPECT_TRUE(at::equal(a.features, b.features));
}

TEST(Collate, BothWaysGiveTheSameBatch) {
  const Config config = small_pipeline();
  const Regions regions = make_regions(config);
  InPlaceCollator in_place(regions, 6, false);
  for (const std::int64_t parts : {1, 3}) {
    for (const std::vector<std::int64_t>& samples :
         {std::vector<std::int64_t>{0, 19, 7, 7, 3, 12}, {5}, {9, 8, 1}}) {
      const StepPlan plan =
          plan_step(regions, samples, std::min<std::int64_t>(parts, std::ssize(samples)));
      expect_same(collate_by_concatenation(regions, plan), in_place.collate(regions, plan));
    }
  }
}

TEST(Collate, ABatchHoldsWhatItsSamplesAre) {
  const Config config = small_pipeline();
  const Regions regions = make_regions(config);
  const Batch batch = collate_by_concatenation(regions, plan_step(regions, {4, 9}, 1));
  const Part& part = batch.plan.parts[0];
  const std::int64_t first = regions.length_of(4), second = regions.length_of(9);
  EXPECT_TRUE(at::equal(batch.tokens(part).narrow(0, first, second),
                        regions.tokens.narrow(0, regions.begin_of(9), second)));
  EXPECT_TRUE(at::equal(batch.features_of(part).narrow(0, 0, first),
                        regions.features.narrow(0, regions.begin_of(4), first)));
  EXPECT_EQ(batch.kinds(part)[0].item<std::int64_t>(), 0);
  EXPECT_EQ(batch.kinds(part)[first - 1].item<std::int64_t>(), 2);
  EXPECT_EQ(batch.positions(part)[first].item<std::int64_t>(), 0);
  EXPECT_EQ(batch.slots(part)[first].item<std::int64_t>(), part.longest);
  EXPECT_EQ(batch.labels(part)[1].item<std::int64_t>(), regions.labels[10].item<std::int64_t>());
  EXPECT_EQ(batch.lengths(part)[1].item<std::int64_t>(), second);
}

// A batch that is still held must not be overwritten by the next one.
TEST(Collate, MemoryIsUsedAgainOnlyWhenItsBatchIsGone) {
  const Config config = small_pipeline();
  const Regions regions = make_regions(config);
  InPlaceCollator in_place(regions, 2, false);
  const void* memory = nullptr;
  {
    const Batch held = in_place.collate(regions, plan_step(regions, {1, 2}, 1));
    const Batch other = in_place.collate(regions, plan_step(regions, {3, 4}, 1));
    expect_same(held, collate_by_concatenation(regions, plan_step(regions, {1, 2}, 1)));
    memory = held.features.const_data_ptr();
  }
  const Batch next = in_place.collate(regions, plan_step(regions, {5, 6}, 1));
  EXPECT_EQ(next.features.const_data_ptr(), memory);
}

class Feed : public testing::TestWithParam<const char*> {};

TEST_P(Feed, GivesEveryStepsBatchInOrder) {
  Config config = small_pipeline(11);  // almost four epochs of three steps
  config.workers = 4;
  ASSERT_TRUE(all_fixes().turn(config.fixes, {GetParam()}, true));
  const Regions regions = make_regions(config);
  const SampleOrder order = *SampleOrder::make(config, regions);
  BatchFeed feed(config, regions, order, at::kCPU);
  BatchMaker maker(config, regions, order, false);
  for (std::int64_t step = 0; step < config.steps; ++step) {
    const Result<Batch> batch = feed.next();
    ASSERT_TRUE(batch) << batch.error().message;
    expect_same(*batch, maker.make(step));
  }
}

INSTANTIATE_TEST_SUITE_P(Fixes, Feed,
                         testing::Values("vectorised", "preallocated_collate", "persistent_workers",
                                         "prefetch", "bucketing", "larger_batch"));

// The run ends where a user or an error ends it: workers must not outlive it.
TEST(BatchFeed, EndsWithWorkersThatAreAhead) {
  Config config = small_pipeline(1'000'000);
  config.fixes.persistent_workers = true;
  const Regions regions = make_regions(config);
  BatchFeed feed(config, regions, *SampleOrder::make(config, regions), at::kCPU);
  EXPECT_TRUE(feed.next());
}

// Every batch of a data set that has become too small for one worker's copy fails in the worker.
TEST(BatchFeed, AWorkersFailureIsTheRunsError) {
  Config config = small_pipeline();
  Regions regions = make_regions(config);
  const SampleOrder order = *SampleOrder::make(config, regions);
  regions.features = regions.features.narrow(0, 0, 3);
  BatchFeed feed(config, regions, order, at::kCPU);
  EXPECT_THAT(feed.next().error().message, HasSubstr("a worker that makes batches failed: "));
}

}  // namespace
}  // namespace stepscope::token_pipeline
