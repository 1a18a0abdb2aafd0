// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/token_pipeline/training/training.hpp"

#include <ATen/ops/allclose.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>

#include "tests/reference_trainers/comm/in_process_ranks.hpp"
#include "tests/reference_trainers/token_pipeline/trained.hpp"

namespace stepscope::token_pipeline {
namespace {

TEST(Training, EveryFixAloneAndWithAllBelowItGivesTheBaselinesLosses) {
  expect_every_fix_trains_the_same(small_pipeline(), at::kCPU);
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
