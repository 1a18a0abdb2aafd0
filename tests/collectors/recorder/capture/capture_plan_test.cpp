// SPDX-License-Identifier: Apache-2.0
#include "collectors/recorder/capture/capture_plan.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace stepscope::recorder {
namespace {

// Steps of 10 ms each, as capture.cpp asks.
std::string pattern(const CapturePlan& plan, std::uint64_t steps) {
  std::string out;
  std::optional<std::uint64_t> from;
  for (std::uint64_t step = 0; step < steps; ++step) {
    if (!from && has_begun(plan, {step, 10 * step})) from = step;
    const Passed passed{step - from.value_or(step), 10 * (step - from.value_or(step))};
    out += from && !is_over(plan, passed) && is_in_window(plan, passed) ? 'x' : '.';
  }
  return out;
}

TEST(CapturePlan, TakesAllWhereNothingIsPlanned) {
  EXPECT_FALSE(CapturePlan{}.is_set());
  EXPECT_EQ(pattern({}, 3), "xxx");
}

TEST(CapturePlan, TakesSomeStepsAfterSome) {
  EXPECT_EQ(pattern({.after_steps = 2, .take_steps = 3}, 8), "..xxx...");
}

TEST(CapturePlan, WindowsBeginBehindTheFirstSteps) {
  EXPECT_EQ(pattern({.after_steps = 1, .window_on = 2, .window_off = 3}, 10), ".xx...xx..");
  EXPECT_EQ(pattern({.take_steps = 6, .window_on = 2, .window_off = 2}, 8), "xx..xx..");
}

TEST(CapturePlan, StepsAndTimesMix) {
  EXPECT_EQ(pattern({.after_ms = 20, .take_ms = 30}, 8), "..xxx...");
  EXPECT_EQ(pattern({.after_steps = 2, .take_ms = 30}, 8), "..xxx...");
  EXPECT_EQ(pattern({.after_ms = 30, .take_steps = 2}, 8), "...xx...");
  EXPECT_EQ(pattern({.after_ms = 30, .window_on = 1, .window_off = 1}, 8), "...x.x.x");
}

}  // namespace
}  // namespace stepscope::recorder
