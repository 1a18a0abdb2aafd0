// SPDX-License-Identifier: Apache-2.0
// Stretches that were not recorded by plan, and what recording cost by them.
#include "core/steps/capture_gaps.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "core/model/losses.hpp"
#include "core/summary/summary.hpp"
#include "core/summary/trust/overhead.hpp"
#include "tests/core/steps/found.hpp"

namespace stepscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::int64_t kMicrosecond = 1'000;

// Steps of an optimizer; `plain_us` in stretches that are not recorded, where only the scopes are.
class WindowedLoop : public LoopMaker {
 public:
  void capture(double state) {
    Counters& c = make.data.counters;
    c.time.push_back(now);
    c.track.push_back(make.data.strings.intern(kCaptureTrack));
    c.process.push_back(0);
    c.value.push_back(state);
  }

  void recorded(int steps, std::int64_t step_us) {
    for (int i = 0; i < steps; ++i) {
      const std::int64_t begin = now;
      kernel("gemm", 5 * kMicrosecond);
      kernel("relu", 2 * kMicrosecond);
      backward("Linear");
      now = begin + (step_us - 1) * kMicrosecond;
      mark();
    }
  }

  void unrecorded(int steps, std::int64_t step_us) {
    for (int i = 0; i < steps; ++i) {
      now += (step_us - 1) * kMicrosecond;
      mark();
    }
  }

  void mark() {
    range("Optimizer.step#Adam.step", [this] { now += kMicrosecond; });
  }
};

WindowedLoop windows(int count, std::int64_t on_us, std::int64_t off_us) {
  WindowedLoop loop;
  for (int i = 0; i < count; ++i) {
    loop.recorded(6, on_us);
    loop.capture(0);
    loop.unrecorded(6, off_us);
    loop.capture(1);
  }
  loop.recorded(6, on_us);
  return loop;
}

// Begins unrecorded, with a warm-up of 8 slow steps in front.
WindowedLoop late_windows(int untouched, std::int64_t untouched_us, std::int64_t off_us) {
  WindowedLoop loop;
  loop.capture(0);
  loop.unrecorded(9, 5 * untouched_us);
  loop.unrecorded(untouched, untouched_us);
  for (int i = 0; i < 20; ++i) {
    loop.capture(1);
    loop.recorded(6, off_us + 10);
    loop.capture(0);
    loop.unrecorded(6, off_us);
  }
  return loop;
}

TEST(CaptureGaps, AreBetweenOffAndOn) {
  WindowedLoop loop;
  loop.now = LoopMaker::kStart + 10;
  loop.op("begin");
  for (const double state : {0.0, 0.0, 2.0, 1.0, -1.0, 1.0, 0.0}) {
    loop.now += 100;
    loop.capture(state);
  }
  const Trace trace = loop.build();
  const IntervalSet gaps = capture_gaps(trace, 0);
  ASSERT_EQ(gaps.size(), 3U);
  EXPECT_EQ(gaps[0].length(), 300);  // a state that is not the whole belongs to it
  EXPECT_EQ(gaps[1].length(), 100);
  EXPECT_GT(gaps[2].end, trace.end() - 1);
  EXPECT_TRUE(is_inside(gaps, gaps[0].begin));
  EXPECT_FALSE(is_inside(gaps, gaps[0].end));
}

TEST(CaptureGaps, AreNoneWithoutAPlan) {
  WindowedLoop loop;
  loop.recorded(5, 100);
  EXPECT_TRUE(capture_gaps(loop.build(), 0).empty());
}

TEST(CaptureGaps, StepsThereAreNeitherFoundNorCounted) {
  const Trace trace = windows(3, 100, 80).build();
  const Steps steps = found(trace);
  EXPECT_EQ(steps.found_by, FoundBy::optimizer);
  ASSERT_EQ(steps.list.size(), 24U);
  int unknown = 0;
  for (const Step& step : steps.list) {
    unknown += step.wall_known ? 0 : 1;
    if (!step.steady) continue;
    EXPECT_NEAR(static_cast<double>(step.wall_ns()), 100e3, 10e3);
  }
  EXPECT_EQ(unknown, 3);
  EXPECT_EQ(steps.list[6].why_not_steady, "not recorded, by plan");
  EXPECT_TRUE(steps.list[5].steady);
  EXPECT_THAT(steps.notes, testing::Contains(HasSubstr("3 stretches were not recorded")));
  // What was not recorded is in no section's time.
  const std::int64_t gaps = total_length(capture_gaps(trace, 0));
  EXPECT_NEAR(static_cast<double>(steps.recorded_ns),
              static_cast<double>(steps.recorded.length() - gaps), 1);
  EXPECT_LE(steps.sections.at(0).divisions.at(0).recorded_ns, steps.recorded_ns);
  EXPECT_GE(steps.outside_sections_ns(), 0);
  for (std::size_t k = 1; k < steps.list.size(); ++k)
    EXPECT_EQ(steps.list[k].window.begin, steps.list[k - 1].window.end);
}

// A chunk of the file is damaged: of steps 8 to 10 nothing is there, and step 11 lacks its begin.
TEST(CaptureGaps, StepsThatReachIntoALossAreNotCounted) {
  WindowedLoop loop;
  loop.recorded(8, 100);
  const std::int64_t begin = loop.now;
  loop.now += 350 * kMicrosecond;
  const std::int64_t end = loop.now;
  loop.recorded(16, 100);
  loop.make.data.processes[0].facts[kLostStretches] = text_of_stretches({{begin, end}});
  const Steps steps = found(loop.build());
  ASSERT_EQ(steps.list.size(), 24U);
  EXPECT_EQ(steps.list[8].why_not_steady, "records of it are lost");
  EXPECT_FALSE(steps.list[8].wall_known);
  EXPECT_EQ(steps.steady_count(), 22U);  // nor the first one
  EXPECT_THAT(steps.notes, testing::Contains("records are lost in 350 us of the run, in which 1 of "
                                             "the steps found lies: not counted"));
}

// profile --capture-range: nothing is known between two ranges.
TEST(CaptureGaps, RangesAreStepsWithoutTheTimeBetween) {
  WindowedLoop loop;
  for (int i = 0; i < 6; ++i) {
    loop.range("step " + std::to_string(i), [&] {
      loop.capture(1);
      loop.op("aten::mm", 40 * kMicrosecond);
    });
    loop.capture(0);
    loop.now += 500 * kMicrosecond;
  }
  const Steps steps = found(loop.build());
  ASSERT_EQ(steps.list.size(), 6U);
  EXPECT_EQ(steps.steady_count(), 5U);
  for (const Step& step : steps.list) EXPECT_EQ(step.wall_ns(), 40 * kMicrosecond);
  EXPECT_THAT(steps.notes, testing::Contains(HasSubstr("each step follows")));
}

// The device is behind the host: it works on recorded steps while the next ones are not recorded.
TEST(CaptureGaps, StepsThatTheDeviceFinishesInAGapCount) {
  WindowedLoop loop;
  for (int window = 0; window < 3; ++window) {
    for (int i = 0; i < 6; ++i) {
      loop.kernel("gemm", 100 * kMicrosecond);
      loop.backward("Linear", 20 * kMicrosecond);
      loop.mark();
    }
    loop.capture(0);
    loop.unrecorded(6, 5);
    loop.capture(1);
    loop.now += 400 * kMicrosecond;
  }
  const Steps steps = found(loop.build());
  ASSERT_EQ(steps.list.size(), 18U);
  for (const std::size_t k : {2U, 3U, 4U, 5U, 8U, 11U}) {
    EXPECT_TRUE(steps.list[k].steady) << k << ' ' << steps.list[k].why_not_steady;
    EXPECT_EQ(steps.list[k].wall_ns(), 100 * kMicrosecond) << k;
  }
  EXPECT_FALSE(steps.list[6].steady);
}

// Launched while the hooks were still off, they run when recording has begun again.
TEST(CaptureGaps, OpsOfUnseenLaunchesAreOfNoStepBefore) {
  WindowedLoop loop;
  for (int window = 0; window < 3; ++window) {
    loop.recorded(6, 100);
    loop.capture(0);
    loop.unrecorded(6, 90);
    loop.make.kernel("unseen", 7, loop.now - 3 * kMicrosecond, loop.now - 2 * kMicrosecond, 0);
    loop.capture(1);
    loop.make.kernel("unseen", 7, loop.now, loop.now + kMicrosecond, 0);
    loop.now += 2 * kMicrosecond;
  }
  const Steps steps = found(loop.build());
  for (const Step& step : steps.list) {
    if (!step.steady) continue;
    EXPECT_NEAR(static_cast<double>(step.wall_ns()), 100e3, 10e3) << step.id;
  }
  EXPECT_TRUE(steps.list[5].steady);
}

TEST(Overhead, IsTheRatioOfStepsBesideEachOther) {
  const Trace trace = windows(10, 110, 100).build();
  const std::optional<Overhead> overhead = measure_overhead(trace, found(trace));
  ASSERT_TRUE(overhead);
  EXPECT_EQ(overhead->pairs, 9U);
  EXPECT_NEAR(overhead->ratio, 1.1, 1e-3);
  EXPECT_NEAR(overhead->low, 1.1, 1e-3);
}

TEST(Overhead, NeedsEnoughWindows) {
  const Trace trace = windows(6, 110, 100).build();
  EXPECT_FALSE(measure_overhead(trace, found(trace)));
}

TEST(Overhead, ThatIsMissingSaysWhy) {
  const auto why = [](WindowedLoop loop) {
    const Trace trace = loop.build();
    return why_no_overhead(trace, found(trace));
  };
  EXPECT_THAT(why(windows(6, 110, 100)),
              HasSubstr("5 recorded windows lie between two pauses, and 6"));
  EXPECT_EQ(why(windows(10, 110, 100)), "");
  EXPECT_EQ(why(windows(1, 110, 100)), "") << "a part of the run, not windows";
  WindowedLoop silent, brief;
  for (int i = 0; i < 10; ++i) {
    silent.recorded(6, 100);
    brief.recorded(3, 100);
    silent.capture(0), brief.capture(0);
    silent.now += 100 * kMicrosecond;
    brief.unrecorded(3, 90);
    silent.capture(1), brief.capture(1);
  }
  EXPECT_THAT(why(std::move(silent)), HasSubstr("no marks"));
  EXPECT_THAT(why(std::move(brief)), HasSubstr("0 of 9 windows hold four marks of steps"));
}

TEST(Overhead, DriftCancels) {
  WindowedLoop loop;
  for (int i = 0; i < 12; ++i) {
    loop.recorded(6, 105 + 10 * i);
    loop.capture(0);
    loop.unrecorded(6, 105 + 10 * i);
    loop.capture(1);
  }
  const Trace trace = loop.build();
  const std::optional<Overhead> overhead = measure_overhead(trace, found(trace));
  ASSERT_TRUE(overhead);
  EXPECT_NEAR(overhead->ratio, 1.0, 0.04);
}

TEST(Overhead, HoldsTheTruthIn95OfAHundred) {
  std::mt19937 random(7);
  int held = 0;
  for (int run = 0; run < 200; ++run) {
    std::normal_distribution<double> noise(0, 8);
    WindowedLoop loop;
    for (int i = 0; i < 30; ++i) {
      loop.recorded(4, 110 + static_cast<std::int64_t>(noise(random)));
      loop.capture(0);
      loop.unrecorded(4, 100 + static_cast<std::int64_t>(noise(random)));
      loop.capture(1);
    }
    const Trace trace = loop.build();
    const std::optional<Overhead> overhead = measure_overhead(trace, found(trace));
    ASSERT_TRUE(overhead);
    held += overhead->low <= 1.1 && 1.1 <= overhead->high ? 1 : 0;
  }
  EXPECT_GE(held, 180);
}

TEST(Overhead, CorrectsTheStep) {
  const Trace trace = windows(10, 110, 100).build();
  const Steps steps = found(trace);
  const Result<Attribution> attribution = attribute(trace, steps);
  ASSERT_TRUE(attribution.ok());
  const Summary summary = summarize(trace, steps, *attribution);
  ASSERT_TRUE(summary.partition.corrected_step_ns);
  EXPECT_NEAR(static_cast<double>(*summary.partition.corrected_step_ns), 100e3, 1e3);
  ASSERT_TRUE(summary.trust.overhead_ns_per_step);
  EXPECT_NEAR(*summary.trust.overhead_ns_per_step, 10e3, 1e3);
}

TEST(Overhead, IsNeverBelowNothing) {
  for (int uneven = 0; uneven < 120; uneven += 10) {  // the mean lies between two nanoseconds
    WindowedLoop loop = windows(10, 90, 100);
    loop.now += uneven;
    loop.recorded(6, 90);
    const Trace trace = loop.build();
    const Steps steps = found(trace);
    const Summary summary = summarize(trace, steps, *attribute(trace, steps));
    ASSERT_TRUE(summary.trust.overhead_ns_per_step);
    EXPECT_GE(*summary.trust.overhead_ns_per_step, 0);
  }
}

TEST(Overhead, LayersAreToldApartByTheirState) {
  WindowedLoop loop;
  for (int i = 0; i < 24; ++i) {
    loop.recorded(6, i % 2 == 0 ? 110 : 105);
    loop.capture(0);
    loop.unrecorded(6, 100);
    loop.capture(i % 2 == 0 ? 2 : 1);
  }
  const Trace trace = loop.build();
  const Steps steps = found(trace);
  EXPECT_NEAR(measure_overhead(trace, steps, 2).value_or(Overhead{}).ratio, 1.05, 1e-3);
  EXPECT_NEAR(measure_overhead(trace, steps, 1).value_or(Overhead{}).ratio, 1.10, 1e-3);
}

TEST(Overhead, WhatIsLeftOnUnrecordedStepsIsMeasured) {
  const Trace trace = late_windows(12, 100, 108).build();
  const Steps steps = found(trace);
  const std::optional<Overhead> left = measure_left(trace, steps);
  ASSERT_TRUE(left);
  EXPECT_DOUBLE_EQ(left->ratio, 1.08);
  EXPECT_EQ(left->pairs, 12U);
  EXPECT_LE(left->low, left->ratio);
  EXPECT_GE(left->high, left->ratio);
  const std::optional<Overhead> overhead = measure_overhead(trace, steps);
  ASSERT_TRUE(overhead);
  EXPECT_NEAR(overhead->ratio, 118.0 / 108, 1e-3);
  EXPECT_EQ(overhead->pairs, 19U);  // none of what was before
}

TEST(Overhead, TheCorrectedStepIsThatOfAProcessThatNothingTouched) {
  const Trace trace = late_windows(12, 100, 108).build();
  const Steps steps = found(trace);
  const Summary summary = summarize(trace, steps, *attribute(trace, steps));
  ASSERT_TRUE(summary.partition.corrected_step_ns);
  EXPECT_NEAR(static_cast<double>(*summary.partition.corrected_step_ns), 100e3, 1e3);
  ASSERT_TRUE(summary.trust.left);
}

TEST(Overhead, NothingIsLeftWhereTheIntervalSaysSo) {
  const Trace trace = late_windows(12, 110, 108).build();
  const Steps steps = found(trace);
  const Summary summary = summarize(trace, steps, *attribute(trace, steps));
  EXPECT_LT(summary.trust.left->ratio, 1);
  EXPECT_NEAR(static_cast<double>(*summary.partition.corrected_step_ns), 108e3, 1e3);
}

TEST(Overhead, TooFewUntouchedStepsTellNothing) {
  const Trace late = late_windows(7, 100, 108).build(), early = windows(9, 100, 80).build();
  EXPECT_FALSE(measure_left(late, found(late)));
  EXPECT_FALSE(measure_left(early, found(early)));
}

}  // namespace
}  // namespace stepscope
