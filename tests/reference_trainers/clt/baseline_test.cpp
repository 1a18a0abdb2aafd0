// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/baseline.hpp"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/reference_trainers/clt/tiny_config.hpp"

namespace stepscope::clt {
namespace {

std::vector<StepResult> train(const Config& config) {
  at::set_num_threads(1);
  const auto trainer = make_baseline(config, at::kCPU);
  std::vector<StepResult> results;
  for (std::int64_t step = 0; step < config.steps; ++step) results.push_back(trainer->step(step));
  return results;
}

TEST(Baseline, LossFalls) {
  Config config = tiny_config();
  config.steps = 150;
  config.learning_rate = 3e-3;
  const std::vector<StepResult> results = train(config);
  EXPECT_LT(results.back().loss, 0.7 * results.front().loss);
  ASSERT_TRUE(results.back().metrics.has_value());
  EXPECT_LT(results.back().metrics->nmse, 0.7);
}

TEST(Baseline, RepeatsToTheBit) {
  const std::vector<StepResult> first = train(tiny_config()), second = train(tiny_config());
  for (std::size_t step = 0; step < first.size(); ++step)
    EXPECT_EQ(first[step].loss, second[step].loss) << step;
}

TEST(Baseline, EvaluatesEveryNSteps) {
  const std::vector<StepResult> results = train(tiny_config());
  for (std::size_t step = 0; step < results.size(); ++step) {
    EXPECT_EQ(results[step].metrics.has_value(), step % 10 == 9) << step;
  }
}

TEST(Baseline, L0IsK) {
  const std::vector<StepResult> results = train(tiny_config());
  EXPECT_NEAR(results.back().metrics->l0, 9, 1e-4);
}

TEST(Baseline, LossIsTheSumOfItsParts) {
  Config config = tiny_config();
  config.sparsity_lambda = 1e-4;
  config.preactivation_coef = 0.1;
  const StepResult last = train(config).back();
  EXPECT_GT(last.sparsity, 0);
  EXPECT_GT(last.preactivation, 0);
  EXPECT_NEAR(last.loss, last.reconstruction + last.sparsity + last.preactivation, 1e-5);
}

}  // namespace
}  // namespace stepscope::clt
