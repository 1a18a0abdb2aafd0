// SPDX-License-Identifier: Apache-2.0
// Every rung on a GPU trains what R0 trains there: at the preset tiny, and some steps of t90m.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "reference_trainers/llm/model/fused_ops.hpp"
#include "tests/reference_trainers/llm/small_run.hpp"

namespace stepscope::llm {
namespace {

// Of bfloat16 over some steps.
constexpr double kTolerance = 0.01;

double greatest_difference(const RunResult& a, const RunResult& b) {
  double largest = 0;
  EXPECT_EQ(a.log.size(), b.log.size());
  for (std::size_t i = 0; i < std::min(a.log.size(), b.log.size()); ++i)
    largest = std::max(largest, std::abs(a.log[i].loss - b.log[i].loss) / a.log[i].loss);
  return largest;
}

void expect_parity(Config config) {
  config.device = trainers::DeviceWish::cuda;
  config.rungs = {};
  if (const auto device = trainers::choose_device(config.device); !device)
    GTEST_SKIP() << device.error().message;
  const RunResult naive = run_quietly(config);
  for (const Rung& rung : all_rungs()) {
    config.rungs = *rungs_up_to(rung.id);
    if (uses_kernels(config.rungs) && !has_kernels()) continue;
    EXPECT_LT(greatest_difference(naive, run_quietly(config)), kTolerance) << rung.id;
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
