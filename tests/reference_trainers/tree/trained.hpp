// SPDX-License-Identifier: Apache-2.0
// A configuration that trains in milliseconds, what a training on a device gave, and how two are
// held against each other.
#pragma once

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "reference_trainers/tree/training.hpp"

namespace stepscope::tree {

// Sums of float32 in another order, and products of bfloat16: of a loss, over some steps.
inline constexpr double kTolerance = 1e-5, kToleranceOfBfloat16 = 1e-2;

inline Config small_tree(std::int64_t steps = 8) {
  Config config;
  config.shape.d_model = 16;
  config.batch = 3;
  config.eval_sequences = 5;
  config.steps = steps;
  config.log_every = 3;
  config.machine.device = trainers::DeviceWish::cpu;
  return config;
}

struct Trained {
  std::vector<double> losses;
  double eval = 0;
};

inline Trained train(const Config& config, at::Device device = at::kCPU) {
  at::set_num_threads(1);
  const Sequences sequences(config);
  BatchFeed feed(config, sequences, device);
  Training training(config, device);
  Trained out;
  for (std::int64_t step = 0; step < config.steps; ++step)
    for (const double loss : training.step(step, sequences.leaf_of(step), *feed.next()))
      out.losses.push_back(loss);
  out.eval = training.evaluate(sequences);
  return out;
}

inline void expect_near(const Trained& trained, const Trained& expected, double tolerance) {
  ASSERT_EQ(trained.losses.size(), expected.losses.size());
  for (std::size_t i = 0; i < trained.losses.size(); ++i)
    EXPECT_NEAR(trained.losses[i], expected.losses[i], tolerance * expected.losses[i]) << i;
  EXPECT_NEAR(trained.eval, expected.eval, tolerance * expected.eval);
}

// The baseline on that device, and each fix alone and with all below it.
inline void expect_every_fix_trains_the_same(Config config, at::Device device) {
  config.fixes = {};
  const Trained baseline = train(config, device);
  EXPECT_EQ(baseline.losses.size(), static_cast<std::size_t>(config.steps));
  const auto expect_same = [&] {
    expect_near(train(config, device), baseline,
                config.fixes.mixed_precision ? kToleranceOfBfloat16 : kTolerance);
  };
  for (const auto& fix : all_fixes().all()) {
    if (fix.on == nullptr || *fix.id == '\0') continue;
    SCOPED_TRACE(fix.name);
    config.fixes = {};
    ASSERT_TRUE(all_fixes().turn(config.fixes, {fix.name}, true));
    expect_same();
    config.fixes = *all_fixes().up_to(fix.id);
    expect_same();
  }
}

}  // namespace stepscope::tree
