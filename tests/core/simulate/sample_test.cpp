// SPDX-License-Identifier: Apache-2.0
// Which steps are replayed.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/simulate/sample.hpp"
#include "tests/core/model/trace_maker.hpp"

namespace stepscope {
namespace {

constexpr std::int64_t kSlow = 100'000;

// Steps of 10 us with 100 calls, some of 100 us.
struct SomeSlow {
  Trace trace;
  Steps steps;
  std::vector<std::uint32_t> counted;
};

SomeSlow run_of(std::uint32_t steps, std::uint32_t one_slow_in = 10) {
  TraceMaker make;
  SomeSlow run{.trace = Trace::build({}), .steps = {}, .counted = {}};
  std::int64_t at = 1000;
  for (std::uint32_t i = 0; i < steps; ++i) {
    const std::int64_t length = i % one_slow_in == 3 ? kSlow : 10'000;
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
  const SomeSlow run = run_of(20);
  const auto sample = sample_steps(run.trace, run.steps, run.counted, {});
  ASSERT_EQ(sample.size(), run.counted.size());
  for (std::size_t i = 0; i < sample.size(); ++i) {
    EXPECT_EQ(sample[i].row, run.counted[i]);
    EXPECT_EQ(sample[i].stands_for, 1);
  }
}

struct Held {
  explicit Held(const SomeSlow& run, const std::vector<StepInSample>& sample) {
    for (const StepInSample& step : sample) {
      const std::int64_t wall_ns = run.steps.list[step.row].wall_ns();
      (wall_ns == kSlow ? slow : fast) += 1;
      (wall_ns == kSlow ? as_slow : as_fast) += step.stands_for;
      all_ns += step.stands_for * static_cast<double>(wall_ns);
    }
  }
  int slow = 0, fast = 0;
  double as_slow = 0, as_fast = 0, all_ns = 0;
};

TEST(Sample, HoldsSlowStepsForAsMuchTimeAsInTheRun) {
  const SomeSlow run = run_of(1000, 10);
  const auto sample = sample_steps(run.trace, run.steps, run.counted, {}, 10'100);
  EXPECT_TRUE(std::ranges::is_sorted(sample, {}, &StepInSample::row));
  EXPECT_LE(sample.size(), 100U);
  EXPECT_GE(sample.size(), 90U);
  const Held held(run, sample);
  // Slow steps have, of the roots' sum, 10 sqrt(10) of 90 + 10 sqrt(10).
  EXPECT_NEAR(held.slow, 26, 2);
  EXPECT_NEAR(held.as_slow, 100, 2);
  EXPECT_NEAR(held.as_fast, 900, 20);
  EXPECT_NEAR(held.all_ns, 900 * 10'000 + 100 * kSlow, 1);
}

TEST(Sample, HoldsStepsThatAreLongAndRare) {
  const SomeSlow run = run_of(1000, 100);
  const auto sample = sample_steps(run.trace, run.steps, run.counted, {}, 3'030);
  EXPECT_LE(sample.size(), 30U);
  const Held held(run, sample);
  EXPECT_GE(held.slow, 1);
  EXPECT_NEAR(held.as_slow, 10, 2);
  EXPECT_NEAR(held.all_ns, 990 * 10'000 + 10 * kSlow, 1);
}

// An evaluation in four of a hundred steps, which makes them no longer than others.
TEST(Sample, HoldsAStepOfEachKind) {
  const SomeSlow run = run_of(100, 1'000);
  StepKinds kinds(100, 0);
  for (const std::uint32_t row : {10U, 35U, 60U, 85U}) kinds[row] = 1;
  double of_kind = 0, all = 0;
  for (const StepInSample& step : sample_steps(run.trace, run.steps, run.counted, kinds, 505)) {
    all += step.stands_for;
    of_kind += kinds[step.row] == 1 ? step.stands_for : 0;
  }
  EXPECT_DOUBLE_EQ(of_kind, 4);
  EXPECT_NEAR(all, 100, 10);  // one step is ten times as long
}

TEST(Sample, IsAlwaysTheSame) {
  const SomeSlow run = run_of(1000, 10);
  const auto rows = [&] {
    std::vector<std::uint32_t> out;
    for (const StepInSample& step : sample_steps(run.trace, run.steps, run.counted, {}, 10'100))
      out.push_back(step.row);
    return out;
  };
  EXPECT_EQ(rows(), rows());
}

TEST(Sample, IsAtLeastThreeSteps) {
  const SomeSlow run = run_of(50);
  EXPECT_EQ(sample_steps(run.trace, run.steps, run.counted, {}, 10).size(), 3U);
}

TEST(Sample, AStepBehindAnUnrecordedStretchBeginsWithItself) {
  SomeSlow run = run_of(3);
  EXPECT_EQ(host_time_of(run.steps, 1).begin, run.steps.list[0].host.end);
  run.steps.list[2].window.begin += 1000;
  run.steps.list[2].host.begin += 1000;
  EXPECT_EQ(host_time_of(run.steps, 2).begin, run.steps.list[2].host.begin);
}

}  // namespace
}  // namespace stepscope
