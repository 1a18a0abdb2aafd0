// SPDX-License-Identifier: Apache-2.0
// Every rung on a GPU trains what R0 trains there: at the preset tiny, and some steps of t90m.
#include <gtest/gtest.h>

#include "reference_trainers/llm/model/fused_ops.hpp"
#include "tests/reference_trainers/llm/rung_parity.hpp"

namespace stepscope::llm {
namespace {

void expect_parity(Config config) {
  config.device = trainers::DeviceWish::cuda;
  config.rungs = {};
  const auto device = trainers::choose_device(config.device);
  if (!device) GTEST_SKIP() << device.error().message;
  const trainers::OwnStream own_stream(
      true, device->device);  // a graph is not recorded on the default one
  const Gradients gradients = first_gradients(config, device->device);
  const std::vector<double> losses = losses_of(config, device->device);
  const double yardstick = spread_by_rounding(config, device->device, losses);
  testing::Test::RecordProperty("spread_by_rounding_ppm", static_cast<int>(1e6 * yardstick));
  for (const Rung& rung : all_rungs()) {
    config.rungs = *rungs_up_to(rung.id);
    if (uses_kernels(config.rungs) && !has_kernels()) continue;
    expect_same_gradients(gradients, first_gradients(config, device->device), config, rung.id);
    EXPECT_LT(spread(losses, losses_of(config, device->device)),
              allowed_spread(config.rungs, yardstick))
        << rung.id;
  }
}

TEST(RungsOnGpu, TrainTinyAlike) {
  Config config;
  use_preset(config, *find_preset("tiny"));
  config.steps = 60;
  expect_parity(config);
}

TEST(RungsOnGpu, TrainT90mAlike) {
  Config config;
  use_preset(config, *find_preset("t90m"));
  config.micro_batch = 2;
  config.accumulate = 2;
  config.steps = 20;
  expect_parity(config);
}

}  // namespace
}  // namespace stepscope::llm
