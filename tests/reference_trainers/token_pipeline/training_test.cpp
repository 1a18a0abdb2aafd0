// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/token_pipeline/training/training.hpp"

#include <ATen/Parallel.h>
#include <ATen/ops/allclose.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>

#include "reference_trainers/token_pipeline/data/batch_feed.hpp"
#include "tests/reference_trainers/comm/in_process_ranks.hpp"
#include "tests/reference_trainers/token_pipeline/small_pipeline.hpp"

namespace stepscope::token_pipeline {
namespace {

// Sums of float32 in another order: what the fixes may differ by, of a loss, over some steps.
constexpr double kTolerance = 1e-5;

std::vector<double> train(const Config& config, trainers::Comm& group) {
  at::set_num_threads(1);
  const Regions regions = make_regions(config);
  BatchFeed feed(config, regions, *SampleOrder::make(config, regions), at::kCPU);
  Training training(config, at::kCPU, group);
  std::vector<double> losses;
  for (std::int64_t step = 0; step < config.steps; ++step)
    for (const StepLoss& one : training.step(step, *feed.next())) losses.push_back(one.loss);
  return losses;
}

std::vector<double> train_alone(const Config& config) {
  trainers::SingleComm group;
  return train(config, group);
}

void expect_near(const std::vector<double>& losses, const std::vector<double>& expected) {
  ASSERT_EQ(losses.size(), expected.size());
  for (std::size_t i = 0; i < losses.size(); ++i)
    EXPECT_NEAR(losses[i], expected[i], kTolerance * expected[i]) << "step " << i + 1;
}

TEST(Training, EveryFixAloneAndWithAllBelowItGivesTheBaselinesLosses) {
  const std::vector<double> baseline = train_alone(small_pipeline());
  for (const auto& fix : all_fixes().all()) {
    if (fix.on == nullptr || *fix.id == '\0') continue;
    SCOPED_TRACE(fix.name);
    Config config = small_pipeline();
    ASSERT_TRUE(all_fixes().turn(config.fixes, {fix.name}, true));
    expect_near(train_alone(config), baseline);
    config.fixes = *all_fixes().up_to(fix.id);
    expect_near(train_alone(config), baseline);
  }
}

TEST(Training, LossesAreReadWhereALineIsPrintedAndAreTheSame) {
  Config config = small_pipeline(5);
  const std::vector<double> each = train_alone(config);
  config.log_every = 0;
  EXPECT_EQ(train_alone(config), each);
}

TEST(Training, TheLossFalls) {
  Config config = small_pipeline(60);
  config.fixes = every_fix();
  config.learning_rate = 1e-2;
  const std::vector<double> losses = train_alone(config);
  EXPECT_LT(losses.back(), 0.5 * losses.front());
}

TEST(Training, RanksTrainAsOneWithTheirSamplesTogether) {
  for (const char* rung : {"R0", "R7"}) {
    Config config = small_pipeline();
    config.fixes = *all_fixes().up_to(rung);
    const std::vector<double> alone = train_alone(config);
    config.batch = 2;
    config.ranks = 3;
    config.buckets = 2;
    std::mutex mutex;
    std::vector<std::vector<double>> of_ranks;
    trainers::run_ranks(3, [&](trainers::Comm& comm) {
      Config own = config;
      own.rank = comm.rank();
      std::vector<double> losses = train(own, comm);
      const std::lock_guard hold(mutex);
      of_ranks.push_back(std::move(losses));
    });
    for (const std::vector<double>& losses : of_ranks) expect_near(losses, alone);
  }
}

// A batch of one part whose samples have different lengths, the longest and the shortest among them.
TEST(Embedding, OneIndexPutsRowsWhereTheLoopDoes) {
  const Config config = small_pipeline();
  const Regions regions = make_regions(config);
  const Weights weights = make_weights(config, at::kCPU);
  const Batch batch = collate_by_concatenation(regions, plan_step(regions, {0, 5, 11, 17, 2}, 2));
  for (const Part& part : batch.plan.parts) {
    const at::Tensor loop = embed_one_by_one(weights, batch, part);
    const at::Tensor once = embed_at_once(weights, batch, part);
    ASSERT_EQ(once.sizes(), loop.sizes());
    EXPECT_TRUE(at::allclose(once, loop, 1e-6, 1e-7));
  }
}

TEST(Embedding, GradientsOfBothWaysAgree) {
  const Config config = small_pipeline();
  const Regions regions = make_regions(config);
  const Batch batch = collate_by_concatenation(regions, plan_step(regions, {3, 14, 8}, 1));
  const auto gradients = [&](auto embed) {
    const Weights weights = make_weights(config, at::kCPU);
    embed(weights, batch, batch.plan.parts[0]).square().sum().backward();
    return std::vector<at::Tensor>{weights.token.grad(), weights.kind.grad(),
                                   weights.position.grad(), weights.feature.grad()};
  };
  const auto loop = gradients(embed_one_by_one), once = gradients(embed_at_once);
  for (std::size_t i = 0; i < loop.size(); ++i)
    EXPECT_TRUE(at::allclose(once[i], loop[i], 1e-5, 1e-6)) << i;
}

}  // namespace
}  // namespace stepscope::token_pipeline
