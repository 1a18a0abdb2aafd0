// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/training/training.hpp"

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "tests/reference_trainers/clt/tiny_config.hpp"
#include "tests/reference_trainers/clt/trained.hpp"

namespace stepscope::clt {
namespace {

TEST(Training, LossFalls) {
  Config config = tiny_config();
  config.steps = 150;
  config.learning_rate = 3e-3;
  const std::vector<StepResult> results = train(config);
  EXPECT_LT(results.back().losses->total, 0.7 * results.front().losses->total);
  ASSERT_TRUE(results.back().metrics.has_value());
  EXPECT_LT(results.back().metrics->nmse, 0.7);
}

TEST(Training, RepeatsToTheBit) {
  const std::vector<StepResult> first = train(tiny_config()), second = train(tiny_config());
  for (std::size_t step = 0; step < first.size(); ++step)
    EXPECT_EQ(first[step].losses->total, second[step].losses->total) << step;
}

TEST(Training, EvaluatesEveryNSteps) {
  const std::vector<StepResult> results = train(tiny_config());
  for (std::size_t step = 0; step < results.size(); ++step) {
    EXPECT_EQ(results[step].metrics.has_value(), step % 10 == 9) << step;
  }
}

TEST(Training, L0IsK) {
  const std::vector<StepResult> results = train(tiny_config());
  EXPECT_NEAR(results.back().metrics->l0, 9, 1e-4);
}

TEST(Training, LossIsTheSumOfItsParts) {
  Config config = tiny_config();
  config.sparsity_lambda = 1e-4;
  config.preactivation_coef = 0.1;
  const Losses last = *train(config).back().losses;
  EXPECT_GT(last.sparsity, 0);
  EXPECT_GT(last.preactivation, 0);
  EXPECT_NEAR(last.total, last.reconstruction + last.sparsity + last.preactivation, 1e-5);
}

void expect_close(const Metrics& one, const Metrics& other) {
  EXPECT_NEAR(one.nmse, other.nmse, 1e-3);
  EXPECT_NEAR(one.explained_variance, other.explained_variance, 1e-3);
  EXPECT_NEAR(one.l0, other.l0, 1e-3);
  EXPECT_NEAR(one.log_density, other.log_density, 1e-2);
  EXPECT_EQ(one.dead, other.dead);
}

// Nothing but the time of a step may change. Sparsity and the pull on silent features are on, so
// that every path is taken.
class EachFix : public testing::TestWithParam<std::string> {
 protected:
  static Config config() {
    Config config = tiny_config();
    config.sparsity_lambda = 1e-4;
    config.preactivation_coef = 0.1;
    return config;
  }
};

TEST_P(EachFix, ReachesTheReferencesLossesAndMetrics) {
  Config fixed = config();
  if (GetParam() == "every" || GetParam() == "every_dense") {
    fixed.fixes = every_fix();
    fixed.fixes.moments_8bit = false;
    if (GetParam() == "every_dense") {  // sparse_step takes the place of some of the others
      ASSERT_TRUE(switch_fixes(fixed.fixes, {"sparse_step"}, false));
    }
  } else {
    ASSERT_TRUE(switch_fixes(fixed.fixes, {GetParam()}, true));
  }
  const std::vector<StepResult> expected = train(config()), found = train(fixed);
  std::size_t read = 0;
  for (std::size_t step = 0; step < expected.size(); ++step) {
    if (!found[step].losses) continue;
    ++read;
    const Losses& one = *expected[step].losses;
    const Losses& other = *found[step].losses;
    EXPECT_NEAR(other.total, one.total, 1e-4 * one.total) << step;
    EXPECT_NEAR(other.reconstruction, one.reconstruction, 1e-4 * one.reconstruction) << step;
    EXPECT_NEAR(other.sparsity, one.sparsity, 1e-3 * one.sparsity + 1e-9) << step;
    EXPECT_NEAR(other.preactivation, one.preactivation, 1e-3 * one.preactivation) << step;
    ASSERT_EQ(found[step].metrics.has_value(), expected[step].metrics.has_value());
    if (found[step].metrics) expect_close(*found[step].metrics, *expected[step].metrics);
  }
  EXPECT_EQ(read, fixed.fixes.late_readback ? 3U : expected.size());  // steps 0, 9 and 19
}

// It takes its list only where the loss does not reach all preactivations.
TEST(Training, TheSparseEncoderReachesTheSameLosses) {
  Config config = tiny_config();
  config.sparsity_lambda = 1e-4;
  const std::vector<StepResult> expected = train(config);
  ASSERT_TRUE(switch_fixes(config.fixes, {"sparse_encoder"}, true));
  const std::vector<StepResult> found = train(config);
  for (std::size_t step = 0; step < expected.size(); ++step)
    EXPECT_NEAR(found[step].losses->total, expected[step].losses->total,
                1e-4 * expected[step].losses->total)
        << step;
}

// Rounding moments by chance shifts single losses and leaves the curve: its mean over 40 steps is
// within 2 % of the baseline's all along, with and without the terms that reach every
// preactivation and every dead feature.
class Moments8Bit : public testing::TestWithParam<std::tuple<std::uint64_t, bool>> {};

TEST_P(Moments8Bit, HaveTheCurveOfFloats) {
  const auto [seed, with_all_terms] = GetParam();
  Config config = tiny_config();
  config.steps = 320;
  config.learning_rate = 3e-3;
  config.seed = seed;
  if (with_all_terms) {
    config.preactivation_coef = 0.01;
    config.k = 3;
    config.dead_window = 3;
    config.aux_k = 8;
  }
  const std::vector<StepResult> floats = train(config);
  ASSERT_TRUE(switch_fixes(config.fixes, {"sparse_encoder", "moments_8bit"}, true));
  const std::vector<StepResult> codes = train(config);
  constexpr std::size_t kMean = 40;
  for (std::size_t begin = 0; begin < floats.size(); begin += kMean) {
    double expected = 0, found = 0;
    for (std::size_t step = begin; step < begin + kMean; ++step) {
      expected += floats[step].losses->total;
      found += codes[step].losses->total;
    }
    EXPECT_NEAR(found / expected, 1, 0.02) << begin;
  }
  EXPECT_LT(codes.back().losses->total, 0.7 * codes.front().losses->total);
}
INSTANTIATE_TEST_SUITE_P(Seeds, Moments8Bit,
                         testing::Combine(testing::Values(0, 1, 2), testing::Bool()));

// Those that compute the same up to rounding.
std::vector<std::string> fixes_and_all() {
  Fixes fixes = every_fix();
  fixes.moments_8bit = false;
  std::vector<std::string> names = names_of(fixes);
  names.emplace_back("every");
  names.emplace_back("every_dense");
  return names;
}
INSTANTIATE_TEST_SUITE_P(Fixes, EachFix, testing::ValuesIn(fixes_and_all()),
                         [](const auto& about) { return about.param; });

}  // namespace
}  // namespace stepscope::clt
