// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <new>
#include <stdexcept>

#include "reference_trainers/common/program/rank_run.hpp"
#include "reference_trainers/common/program/step_clock.hpp"

namespace stepscope::trainers {
namespace {

using testing::HasSubstr;

TEST(StepClock, LeavesTheWarmUpOutUnlessNothingWouldBeLeft) {
  const StepClock behind(at::kCPU, 10, 20, 3), all(at::kCPU, 10, 12, 3);
  EXPECT_FALSE(behind.times(12));
  EXPECT_TRUE(behind.times(13));
  EXPECT_EQ(behind.so_far(13).steps, 0);
  EXPECT_EQ(behind.so_far(15).steps, 2);
  EXPECT_EQ(behind.finish().steps, 7);
  EXPECT_EQ(all.finish().steps, 2);
}

TEST(StepClock, ARateIsOfTheWorkOfAllTimedSteps) {
  const TimedSteps timed{.steps = 4, .seconds = 2};
  EXPECT_DOUBLE_EQ(timed.ms_per_step(), 500);
  EXPECT_DOUBLE_EQ(timed.rate(10), 20);
  EXPECT_EQ(TimedSteps{}.rate(10), 0);
}

TEST(TimeLeft, IsSaidInTheUnitsThatMatter) {
  EXPECT_EQ(time_left(11.2), "12 s left");
  EXPECT_EQ(time_left(185), "3 min 05 s left");
  EXPECT_EQ(time_left(11100), "3 h 05 min left");
}

// Runs alone, with a body that fails.
template <class Thrown>
std::string error_of_run(const Thrown& thrown) {
  const RankChecks checks{.ranks = [](int) -> Status { return Done{}; },
                          .device = [](const RankStart&) -> Status { return Done{}; }};
  const Result<int> result = run_as_rank<int>(
      {.device = DeviceWish::cpu}, [](const std::string&) {}, checks,
      [](const std::string& what) { return bad_input("lower something; " + what); },
      [&thrown](const RankStart&, Comm&) -> Result<int> { throw thrown; });
  return result ? "no error" : result.error().message;
}

TEST(RunAsRank, MemoryThatRanOutIsToldWithWhatToLower) {
  EXPECT_EQ(error_of_run(std::bad_alloc()), "lower something; the host has no more memory");
  EXPECT_THAT(error_of_run(std::runtime_error("can't allocate memory: 9 bytes")),
              HasSubstr("lower something; LibTorch says: can't allocate memory"));
  EXPECT_EQ(error_of_run(std::runtime_error("another fault")), "another fault");
}

}  // namespace
}  // namespace stepscope::trainers
