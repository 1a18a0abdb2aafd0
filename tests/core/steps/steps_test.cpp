// SPDX-License-Identifier: Apache-2.0
#include "core/steps/steps.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/steps/activity.hpp"
#include "tests/core/steps/found.hpp"

namespace stepscope {
namespace {

using ::testing::HasSubstr;

// Rank 0 is the second process, with five steps; rank 1 has four.
Trace of_two_ranks() {
  TraceMaker make;
  make.data.processes = {{.pid = 11, .rank = 1, .world_size = 2},
                         {.pid = 10, .rank = 0, .world_size = 2}};
  for (ProcessId process = 0; process < 2; ++process) {
    make.thread(100 + process, "", process);
    for (int i = 0; i < 4 + static_cast<int>(process); ++i) {
      make.range(HostKind::user_scope, "ProfilerStep#" + std::to_string(i), 1, 1'000 * (i + 1),
                 1'000 * (i + 1) + 900);
      make.data.host_ranges.thread.back() = process;
    }
  }
  std::erase_if(make.data.threads, [](const Thread& t) { return t.tid == 1; });
  return make.build();
}

// The work that three steps launched is missing, so they end with the one before them.
TEST(FindSteps, StepsThatEndAtOneMomentAreNotCounted) {
  LoopMaker loop;
  for (int i = 0; i < 12; ++i) {
    const std::int64_t begin = loop.now;
    if (i < 5 || i > 7) loop.kernel("gemm", i == 4 ? 420'000 : 60'000);
    loop.op("aten::add");
    loop.now = begin + 100'000;
    loop.make.range(HostKind::user_scope, "ProfilerStep#" + std::to_string(i), 1, begin, loop.now);
  }
  const Steps steps = found(loop);
  ASSERT_EQ(steps.list.size(), 12U);
  for (const Step& step : steps.list) {
    if (step.steady) {
      EXPECT_GT(step.wall_ns(), 0) << step.id;
    }
  }
  EXPECT_EQ(steps.list[5].wall_ns(), 0);
  EXPECT_THAT(steps.list[8].why_not_steady, HasSubstr("it ends with others at one moment"));
}

TEST(FindSteps, ReadsTheLowestRankAndSaysSo) {
  const Result<Steps> steps = find_steps(of_two_ranks());
  ASSERT_TRUE(steps.ok());
  EXPECT_EQ(steps->process, 1U);
  EXPECT_EQ(steps->list.size(), 5U);
  ASSERT_FALSE(steps->notes.empty());
  EXPECT_THAT(steps->notes.front(), HasSubstr("rank 0"));
}

TEST(FindSteps, ReadsTheRankThatIsAskedFor) {
  const Result<Steps> steps = find_steps(of_two_ranks(), {.marker_regex = {}, .rank = 1});
  ASSERT_TRUE(steps.ok());
  EXPECT_EQ(steps->process, 0U);
  EXPECT_EQ(steps->list.size(), 4U);
  EXPECT_THAT(steps->notes.front(), HasSubstr("rank 1 (process 11); 1 other"));
}

TEST(FindSteps, ARankThatIsNotThereIsAUsageErrorThatNamesThoseThatAre) {
  const Result<Steps> steps = find_steps(of_two_ranks(), {.marker_regex = {}, .rank = 2});
  ASSERT_FALSE(steps.ok());
  EXPECT_EQ(steps.error().code, ErrorCode::usage);
  EXPECT_THAT(steps.error().message, HasSubstr("no process of rank 2; the trace holds ranks 0, 1"));
}

TEST(Steps, AProcessIsChosenByItsId) {
  const Result<Steps> steps =
      find_steps(of_two_ranks(), {.marker_regex = {}, .rank = {}, .pid = 11});
  ASSERT_TRUE(steps.ok()) << steps.error().message;
  EXPECT_EQ(steps->process, 0U);
  const auto none = find_steps(of_two_ranks(), {.marker_regex = {}, .rank = {}, .pid = 12});
  EXPECT_EQ(none.error().code, ErrorCode::usage);
  EXPECT_THAT(none.error().message, HasSubstr("no process 12 has events; the trace holds 10, 11"));
  const auto both = find_steps(of_two_ranks(), {.marker_regex = {}, .rank = 1, .pid = 11});
  EXPECT_THAT(both.error().message, HasSubstr("exclude each other"));
}

// A loop of four iterations, and a process with many more events in which two ops repeat.
TraceMaker of_loop_and_busy_process(bool fetches, bool optimizes) {
  TraceMaker make;
  make.data.processes = {{.pid = 10}, {.pid = 11, .facts = {{"parent_pid", "10"}}}};
  make.thread(1, "", 0);
  const ThreadId busy = make.thread(2, "", 1);
  for (int i = 0; i < 4; ++i) {
    const std::int64_t begin = 100'000 * (i + 1);
    if (fetches)
      make.range(HostKind::user_scope, "enumerate(DataLoader)#_Iter.__next__", 1, begin, begin + 9);
    make.range(HostKind::op, "aten::linear", 1, begin + 10, begin + 500);
    if (optimizes)
      make.range(HostKind::user_scope, "Optimizer.step#SGD.step", 1, begin + 600, begin + 900);
  }
  for (int i = 0; i < 200; ++i) {
    const std::int64_t begin = 100'000 + 2'000 * i;
    make.range(HostKind::op, "aten::rand", 1, begin, begin + 500);
    make.data.host_ranges.thread.back() = busy;
    make.range(HostKind::op, "aten::stack", 1, begin + 600, begin + 700);
    make.data.host_ranges.thread.back() = busy;
  }
  return make;
}

TEST(FindSteps, AProcessThatMarksItsStepsGoesBeforeOneInWhichMoreRepeats) {
  const Result<Steps> steps = find_steps(of_loop_and_busy_process(false, true).build());
  ASSERT_TRUE(steps.ok());
  EXPECT_EQ(steps->process, 0U);
  EXPECT_EQ(steps->found_by, FoundBy::optimizer);
}

// A program evaluates what the process that it started trains, in steps that both mark.
TEST(FindSteps, AProcessThatTrainsGoesBeforeTheProgramThatEvaluates) {
  for (const bool evaluates_only : {true, false}) {
    TraceMaker make;
    make.data.processes = {{.pid = 10}, {.pid = 11, .facts = {{"parent_pid", "10"}}}};
    for (ProcessId process = 0; process < 2; ++process) {
      const ThreadId thread = make.thread(100 + process, "", process);
      for (int i = 0; i < 5; ++i) {
        const std::int64_t begin = 100'000 * (i + 1);
        make.range(HostKind::user_scope, "ProfilerStep#" + std::to_string(i), 1, begin,
                   begin + 900);
        make.data.host_ranges.thread.back() = thread;
        if (process == 0 && evaluates_only) continue;
        make.range(HostKind::user_scope, "Optimizer.step#SGD.step", 1, begin + 600, begin + 800);
        make.data.host_ranges.thread.back() = thread;
      }
    }
    const Result<Steps> steps = find_steps(make.build());
    ASSERT_TRUE(steps.ok());
    EXPECT_EQ(steps->process, evaluates_only ? 1U : 0U);
  }
}

TEST(FindSteps, AWorkerOfADataLoaderIsNotTheLoop) {
  const Trace with_loader = of_loop_and_busy_process(true, false).build();
  EXPECT_EQ(training_processes(with_loader), (std::vector<ProcessId>{0, 1}));
}

TEST(FindSteps, AProgramGoesBeforeTheProcessesThatItStarted) {
  TraceMaker make = of_loop_and_busy_process(false, false);
  EXPECT_EQ(training_processes(make.build()), (std::vector<ProcessId>{0, 1}));
  TraceMaker strangers = of_loop_and_busy_process(false, false);
  strangers.data.processes[1].facts.clear();
  EXPECT_EQ(training_processes(strangers.build()), (std::vector<ProcessId>{1, 0}));
}

// The program's own work has no period; its child does the same small thing a few times.
TEST(FindSteps, AChildThatIdlesIsNotTheLoop) {
  const auto process_of_steps = [](int calls_of_child) {
    TraceMaker make;
    make.data.processes = {{.pid = 10}, {.pid = 11, .facts = {{"parent_pid", "10"}}}};
    make.thread(1, "", 0);
    const ThreadId child = make.thread(2, "", 1);
    for (int i = 0; i < 100; ++i)
      make.range(HostKind::op, "aten::op" + std::to_string(i * i), 1, 1'000 * i, 1'000 * i + 900);
    for (int i = 0; i < calls_of_child; ++i) {
      make.range(HostKind::op, "aten::zeros", 1, 1'000 * i, 1'000 * i + 10);
      make.data.host_ranges.thread.back() = child;
    }
    const Result<Steps> steps = find_steps(make.build());
    return steps.ok() ? steps->process : kNone;
  };
  EXPECT_EQ(process_of_steps(20), 0U);
  EXPECT_EQ(process_of_steps(2'000), 1U) << "here the child does the run's work";
}

TEST(FindSteps, AnEmptyTraceIsBadInput) {
  TraceMaker make;
  const Result<Steps> steps = find_steps(make.build());
  ASSERT_FALSE(steps.ok());
  EXPECT_EQ(steps.error().code, ErrorCode::bad_input);
}

TEST(FindSteps, NothingThatRepeatsIsOneWindowAndSaysSo) {
  LoopMaker loop;
  for (int i = 0; i < 30; ++i) loop.op("aten::op" + std::to_string(i * i));
  const Steps steps = found(loop);
  EXPECT_EQ(steps.found_by, FoundBy::whole_trace);
  ASSERT_EQ(steps.list.size(), 1U);
  EXPECT_THAT(steps.how, HasSubstr("no step time is claimed"));
  EXPECT_LE(steps.confidence, 0.1);
  EXPECT_EQ(steps.list[0].window, (Interval{LoopMaker::kStart, loop.now}));
}

TEST(FindSteps, WorkOutsideTheLoopIsTold) {
  LoopMaker alone;
  LoopMaker loop;
  for (int i = 0; i < 12; ++i) alone.train_ops(), alone.optimizer();
  for (int i = 0; i < 12; ++i) loop.train_ops(), loop.optimizer();
  for (int i = 0; i < 60; ++i) loop.op("aten::once_" + std::to_string(i * i));
  EXPECT_THAT(found(alone).notes, ::testing::Not(::testing::Contains(HasSubstr("in no loop"))));
  const Steps steps = found(loop);
  EXPECT_EQ(steps.list.size(), 12U);
  EXPECT_THAT(steps.notes, ::testing::Contains(HasSubstr("of the ops lie in no loop")));
  LoopMaker in_passing;
  for (int i = 0; i < 12; ++i)
    in_passing.train_ops(), in_passing.op("aten::mm", 100'000), in_passing.optimizer();
  for (int i = 0; i < 60; ++i) in_passing.op("aten::once_" + std::to_string(i * i));
  EXPECT_THAT(found(in_passing).notes, ::testing::Not(::testing::Contains(HasSubstr("in no loop"))))
      << "ops that are many and take no time";
}

TEST(FindSteps, NamesAreStable) {
  EXPECT_EQ(name_of(FoundBy::user_marker), "user_marker");
  EXPECT_EQ(name_of(FoundBy::profiler_step), "profiler_step");
  EXPECT_EQ(name_of(FoundBy::nvtx_step), "nvtx_step");
  EXPECT_EQ(name_of(FoundBy::loop_nest), "loop_nest");
  EXPECT_EQ(name_of(FoundBy::optimizer), "optimizer");
  EXPECT_EQ(name_of(FoundBy::executable), "executable");
  EXPECT_EQ(name_of(FoundBy::data_loader), "data_loader");
  EXPECT_EQ(name_of(FoundBy::loop_counter), "loop_counter");
  EXPECT_EQ(name_of(FoundBy::periodicity), "periodicity");
  EXPECT_EQ(name_of(FoundBy::whole_trace), "whole_trace");
}

}  // namespace
}  // namespace stepscope
