// SPDX-License-Identifier: Apache-2.0
// What a training on a device gave, and how two are held against each other.
#pragma once

#include <ATen/Parallel.h>
#include <ATen/ops/equal.h>
#include <gtest/gtest.h>

#include "reference_trainers/polychromic/data/sequences.hpp"
#include "reference_trainers/polychromic/training/training.hpp"
#include "tests/reference_trainers/polychromic/small_polychromic.hpp"

namespace stepscope::polychromic {

// Sums of float32 in another order, of a loss, over some steps.
inline constexpr double kLossTolerance = 1e-5;

struct Trained {
  std::vector<StepNumbers> steps;
  std::vector<at::Tensor> replies;  // replies of each step
};

inline Trained train_polychromic(const Config& config, at::Device device = at::kCPU) {
  at::set_num_threads(1);
  const at::Tensor sequences = open_sequences(config)->to(device);
  Training training(config, device);
  Trained out;
  for (std::int64_t step = 0; step < config.steps; ++step) {
    const bool reads = step % 4 == 3 || step + 1 == config.steps;
    for (const StepNumbers& one :
         training.step(step, batch_of(sequences, config, step), reads, nullptr))
      out.steps.push_back(one);
    out.replies.push_back(training.replies().cpu().clone());
  }
  return out;
}

inline void expect_same_training(const Trained& trained, const Trained& expected) {
  ASSERT_EQ(trained.steps.size(), expected.steps.size());
  for (std::size_t i = 0; i < trained.steps.size(); ++i) {
    const StepNumbers &found = trained.steps[i], &wanted = expected.steps[i];
    EXPECT_NEAR(found.language, wanted.language, kLossTolerance * wanted.language) << i;
    EXPECT_NEAR(found.loss, wanted.loss, kLossTolerance * wanted.language) << i;
    EXPECT_NEAR(found.diversity, wanted.diversity, kLossTolerance) << i;
    EXPECT_TRUE(at::equal(trained.replies[i], expected.replies[i])) << "replies of step " << i;
  }
}

// The baseline on that device, and each fix alone and with all below it.
inline void expect_every_fix_trains_the_same(Config config, at::Device device) {
  config.fixes = {};
  const Trained baseline = train_polychromic(config, device);
  EXPECT_EQ(baseline.steps.size(), static_cast<std::size_t>(config.steps));
  for (const auto& fix : all_fixes().all()) {
    if (fix.on == nullptr) continue;
    SCOPED_TRACE(fix.name);
    config.fixes = {};
    ASSERT_TRUE(all_fixes().turn(config.fixes, {fix.name}, true));
    expect_same_training(train_polychromic(config, device), baseline);
    config.fixes = *all_fixes().up_to(fix.id);
    expect_same_training(train_polychromic(config, device), baseline);
  }
}

}  // namespace stepscope::polychromic
