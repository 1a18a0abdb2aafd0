// SPDX-License-Identifier: Apache-2.0
#include "tests/reference_trainers/polychromic/trained.hpp"

namespace stepscope::polychromic {
namespace {

TEST(PolychromicTraining, EveryFixAloneAndWithAllBelowItDrawsTheSameRepliesToTheSameLosses) {
  expect_every_fix_trains_the_same(small_polychromic(), at::kCPU);
}

TEST(PolychromicTraining, RepliesTeachUnlessTheirWeightIsZero) {
  Config config = small_polychromic();
  config.fixes = every_fix();
  const double taught = train_polychromic(config).steps.back().language;
  config.diversity_weight = 0;
  const Trained without = train_polychromic(config);
  EXPECT_NE(without.steps.back().language, taught);
  EXPECT_EQ(without.steps.back().language, without.steps.back().loss);
  EXPECT_GT(without.steps.back().diversity, 0);
}

TEST(PolychromicTraining, AHeavyWeightMakesRepliesMoreDiverse) {
  Config config = small_polychromic();
  config.fixes = every_fix();
  config.steps = 60;
  config.learning_rate = 1e-2;
  config.prompts = 4;
  config.replies = 8;
  const auto last_diversity = [&](double weight) {
    config.diversity_weight = weight;
    const auto steps = train_polychromic(config).steps;
    double sum = 0;
    for (std::size_t i = steps.size() - 20; i < steps.size(); ++i) sum += steps[i].diversity;
    return sum / 20;
  };
  EXPECT_GT(last_diversity(30), 1.02 * last_diversity(0));
}

TEST(PolychromicTraining, BfloatTrainsToNearlyTheSameLosses) {
  Config config = small_polychromic();
  config.fixes = every_fix();
  const Trained wide = train_polychromic(config);
  config.bf16 = true;
  const Trained narrow = train_polychromic(config);
  for (std::size_t i = 0; i < wide.steps.size(); ++i)
    EXPECT_NEAR(narrow.steps[i].language, wide.steps[i].language, 2e-2) << i;
}

}  // namespace
}  // namespace stepscope::polychromic
