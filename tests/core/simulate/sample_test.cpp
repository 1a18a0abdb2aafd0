// SPDX-License-Identifier: Apache-2.0
// Which steps are replayed.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/simulate/sample.hpp"
#include "tests/core/model/trace_maker.hpp"

namespace stepscope {
namespace {

// A step of 10 us with 100 calls, every tenth of 100 us.
struct TenthSlow {
  Trace trace;
  Steps steps;
  std::vector<std::uint32_t> counted;
};

TenthSlow run_of(std::uint32_t steps) {
  TraceMaker make;
  TenthSlow run{.trace = Trace::build({}), .steps = {}, .counted = {}};
  std::int64_t at = 1000;
  for (std::uint32_t i = 0; i < steps; ++i) {
    const std::int64_t length = i % 10 == 3 ? 100'000 : 10'000;
    for (std::int64_t call = 0; call < 100; ++call)
      make.call("cudaLaunchKernel", 1, at + call * 50, at + call * 50 + 20);
    run.steps.list.push_back({.id = i, .host = {at, at + length}, .window = {at, at + length}});
    run.counted.push_back(i);
    at += length;
  }
  run.trace = make.build();
  return run;
}

TEST(Sample, TakesAllStepsThatFit) {
  const TenthSlow run = run_of(20);
  EXPECT_EQ(sample_steps(run.trace, run.steps, run.counted), run.counted);
}

TEST(Sample, HoldsSlowStepsAsOftenAsTheRun) {
  const TenthSlow run = run_of(1000);
  const auto rows = sample_steps(run.trace, run.steps, run.counted, 10'100);
  ASSERT_EQ(rows.size(), 100U);
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
  const auto slow = std::count_if(rows.begin(), rows.end(), [&](std::uint32_t row) {
    return run.steps.list[row].wall_ns() == 100'000;
  });
  EXPECT_EQ(slow, 10);
  EXPECT_EQ(rows, sample_steps(run.trace, run.steps, run.counted, 10'100)) << "always the same";
}

TEST(Sample, IsAtLeastThreeSteps) {
  const TenthSlow run = run_of(50);
  EXPECT_EQ(sample_steps(run.trace, run.steps, run.counted, 10).size(), 3U);
}

TEST(Sample, AStepBehindAnUnrecordedStretchBeginsWithItself) {
  TenthSlow run = run_of(3);
  EXPECT_EQ(host_time_of(run.steps, 1).begin, run.steps.list[0].host.end);
  run.steps.list[2].window.begin += 1000;
  run.steps.list[2].host.begin += 1000;
  EXPECT_EQ(host_time_of(run.steps, 2).begin, run.steps.list[2].host.begin);
}

}  // namespace
}  // namespace stepscope
