// SPDX-License-Identifier: Apache-2.0
// The losses of a training on a device, and how two are held against each other.
#pragma once

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "reference_trainers/token_pipeline/data/batch_feed.hpp"
#include "reference_trainers/token_pipeline/training/training.hpp"
#include "tests/reference_trainers/token_pipeline/small_pipeline.hpp"

namespace stepscope::token_pipeline {

// Sums of float32 in another order: what the fixes may differ by, of a loss, over some steps.
inline constexpr double kTolerance = 1e-5;

inline std::vector<double> train(const Config& config, trainers::Comm& group,
                                 at::Device device = at::kCPU) {
  at::set_num_threads(1);
  const Regions regions = make_regions(config);
  BatchFeed feed(config, regions, *SampleOrder::make(config, regions), device);
  Training training(config, device, group);
  std::vector<double> losses;
  for (std::int64_t step = 0; step < config.steps; ++step)
    for (const StepLoss& one : training.step(step, *feed.next())) losses.push_back(one.loss);
  return losses;
}

inline std::vector<double> train_alone(const Config& config, at::Device device = at::kCPU) {
  trainers::SingleComm group;
  return train(config, group, device);
}

inline void expect_near(const std::vector<double>& losses, const std::vector<double>& expected) {
  ASSERT_EQ(losses.size(), expected.size());
  for (std::size_t i = 0; i < losses.size(); ++i)
    EXPECT_NEAR(losses[i], expected[i], kTolerance * expected[i]) << "step " << i + 1;
}

// The baseline on that device, and each fix alone and with all below it.
inline void expect_every_fix_trains_the_same(Config config, at::Device device) {
  config.fixes = {};
  const std::vector<double> baseline = train_alone(config, device);
  EXPECT_EQ(baseline.size(), static_cast<std::size_t>(config.steps));
  for (const auto& fix : all_fixes().all()) {
    if (fix.on == nullptr || *fix.id == '\0') continue;
    SCOPED_TRACE(fix.name);
    config.fixes = {};
    ASSERT_TRUE(all_fixes().turn(config.fixes, {fix.name}, true));
    expect_near(train_alone(config, device), baseline);
    config.fixes = *all_fixes().up_to(fix.id);
    expect_near(train_alone(config, device), baseline);
  }
}

}  // namespace stepscope::token_pipeline
