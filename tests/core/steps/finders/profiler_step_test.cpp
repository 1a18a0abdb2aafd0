// SPDX-License-Identifier: Apache-2.0
#include "core/steps/finders/finders.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/steps/found.hpp"

namespace stepscope {
namespace {

std::vector<std::int64_t> ids_of(const Steps& steps) {
  std::vector<std::int64_t> ids;
  for (const Step& step : steps.list) ids.push_back(step.id);
  return ids;
}

TEST(ProfilerStep, KeepsTheMarksOwnNumbers) {
  LoopMaker loop;
  for (int i = 3; i < 7; ++i) {
    loop.range("ProfilerStep#" + std::to_string(i), [&] { loop.train_ops(); });
  }
  const Steps steps = found(loop);
  EXPECT_EQ(steps.found_by, FoundBy::profiler_step);
  EXPECT_EQ(ids_of(steps), (std::vector<std::int64_t>{3, 4, 5, 6}));
  EXPECT_EQ(steps.how, "4 ProfilerStep# marks on thread 1");
  EXPECT_GT(steps.confidence, 0.95);
}

TEST(ProfilerStep, CopiesOnADevicesTimeLineDoNotDouble) {
  LoopMaker loop;
  for (int i = 0; i < 5; ++i) {
    const std::int64_t begin = loop.now;
    loop.range("ProfilerStep#" + std::to_string(i), [&] { loop.train_ops(); });
    // Longer than the true marks, on a thread that holds nothing else: a gpu_user_annotation.
    loop.make.range(HostKind::user_scope, "ProfilerStep#" + std::to_string(i), 7, begin + 100,
                    loop.now + 90);
  }
  const Steps steps = found(loop);
  ASSERT_EQ(steps.list.size(), 5U);
  EXPECT_EQ(steps.list[0].host.begin, LoopMaker::kStart);
}

// active=1 of an iteration that steps two optimizers.
TEST(ProfilerStep, OneMarkIsTheStepWhereEachOptimizerStepsOnce) {
  LoopMaker loop;
  loop.range("ProfilerStep#5", [&] {
    loop.train_ops(), loop.optimizer("SGD"), loop.optimizer("SparseAdam");
    loop.op("aten::copy_");
  });
  const Steps steps = found(loop);
  EXPECT_EQ(steps.found_by, FoundBy::profiler_step);
  EXPECT_EQ(steps.list.size(), 1U);
}

// A schedule without prof.step(): the one mark holds the whole loop.
TEST(ProfilerStep, OneMarkAroundALoopOfAlikeUpdatesIsNamedAndNotTheStep) {
  LoopMaker loop;
  loop.range("ProfilerStep#0", [&] {
    for (int i = 0; i < 6; ++i) loop.train_ops(), loop.optimizer();
  });
  const Steps steps = found(loop);
  EXPECT_EQ(steps.found_by, FoundBy::optimizer);
  EXPECT_THAT(steps.notes,
              testing::Contains(testing::HasSubstr("these lie in 1 ProfilerStep# mark")));
}

// with_stack makes marks that outlast the begin of the next one.
TEST(ProfilerStep, MarksThatOverlapEndWhereTheNextBegins) {
  LoopMaker loop;
  std::vector<std::int64_t> begins;
  for (int i = 0; i < 6; ++i) {
    begins.push_back(loop.now);
    loop.train_ops();
    loop.now = begins.back() + 1'000'000;
    loop.make.range(HostKind::user_scope, "ProfilerStep#" + std::to_string(i), 1, begins.back(),
                    loop.now + 400'000);
  }
  const Steps steps = found(loop);
  ASSERT_EQ(steps.list.size(), 6U);
  for (std::size_t k = 0; k + 1 < 6; ++k) EXPECT_EQ(steps.list[k].host.end, begins[k + 1]);
  EXPECT_FALSE(steps.list.back().wall_known) << "where the last one ends is not known";
}

TEST(ProfilerStep, TheSameMarkTwiceOnAThreadIsOneStep) {
  LoopMaker loop;
  for (int i = 0; i < 4; ++i) {
    const std::string name = "ProfilerStep#" + std::to_string(i);
    loop.range(name, [&] {
      loop.range(
          name, [&] { loop.train_ops(); }, HostKind::nvtx_range);
    });
  }
  EXPECT_EQ(found(loop).list.size(), 4U);
}

TEST(ProfilerStep, MarksOfASmallPartYieldToTheOptimizer) {
  LoopMaker loop;
  for (int i = 0; i < 20; ++i) {
    const auto body = [&] { loop.train_ops(), loop.optimizer(); };
    if (i < 2) {
      loop.range("ProfilerStep#" + std::to_string(i), body);
    } else {
      body();
    }
  }
  const Steps steps = found(loop);
  EXPECT_EQ(steps.found_by, FoundBy::optimizer);
  EXPECT_EQ(steps.list.size(), 20U);
}

// A schedule of two steps, and step() called once behind the loop.
TEST(ProfilerStep, TwoMarksOfWhichTheFirstHoldsTheLoopYieldToIt) {
  LoopMaker loop;
  loop.range("ProfilerStep#0", [&] {
    for (int i = 0; i < 20; ++i) loop.kernel("gemm", 9'000), loop.kernel("add", 3'000), loop.wait();
  });
  loop.range("ProfilerStep#1", [&] { loop.now += 40; });
  const Steps steps = found(loop);
  EXPECT_EQ(steps.found_by, FoundBy::periodicity);
  EXPECT_EQ(steps.list.size(), 20U);
}

TEST(ProfilerStep, TwoMarksOfWhichTheSecondHoldsTheLoopYieldToIt) {
  LoopMaker loop;
  loop.range("ProfilerStep#0", [&] { loop.now += 40; });
  loop.range("ProfilerStep#1", [&] {
    for (int i = 0; i < 20; ++i) loop.kernel("gemm", 9'000), loop.kernel("add", 3'000), loop.wait();
  });
  EXPECT_EQ(found(loop).list.size(), 20U);
}

TEST(ProfilerStep, TwoMarksOfWhichTheFirstHoldsAllClaimNoStep) {
  LoopMaker loop;
  loop.range("ProfilerStep#0", [&] { loop.kernel("gemm", 9'000), loop.wait(); });
  loop.range("ProfilerStep#1", [&] { loop.now += 40; });
  EXPECT_EQ(found(loop).found_by, FoundBy::whole_trace);
}

TEST(ProfilerStep, AFirstStepThatTunesItsKernelsLeavesTheMarksAsTheyAre) {
  LoopMaker loop;
  for (int i = 0; i < 6; ++i) {
    loop.range("ProfilerStep#" + std::to_string(i), [&] {
      for (int k = 0; i == 0 && k < 900; ++k) loop.kernel("tried", 500);
      for (int k = 0; k < 4; ++k) loop.kernel("layer" + std::to_string(k), 3'000);
      loop.wait();
    });
  }
  const Steps steps = found(loop);
  EXPECT_EQ(steps.found_by, FoundBy::profiler_step);
  EXPECT_EQ(steps.list.size(), 6U);
}

TEST(ProfilerStep, ASingleMarkYieldsToTheOptimizer) {
  LoopMaker loop;
  loop.range("ProfilerStep#1", [&] {
    for (int i = 0; i < 6; ++i) loop.train_ops(), loop.optimizer();
  });
  EXPECT_EQ(found(loop).found_by, FoundBy::optimizer);
}

// A clock's rounding lets each mark end a little behind the next one's begin.
TEST(ProfilerStep, MarksThatOverlapALittleAreAllSteps) {
  LoopMaker loop;
  for (int i = 0; i < 8; ++i) {
    const std::int64_t begin = loop.now;
    loop.train_ops();
    loop.make.range(HostKind::user_scope, "ProfilerStep#" + std::to_string(i), 1, begin,
                    loop.now + 1);
  }
  const Steps steps = found(loop);
  EXPECT_EQ(steps.list.size(), 8U);
  EXPECT_TRUE(steps.notes.empty());
}

TEST(ProfilerStep, AMarkThatOverlapsMostOfAnotherIsLeftOutAndSaid) {
  LoopMaker loop;
  for (int i = 0; i < 4; ++i) {
    const std::int64_t begin = loop.now;
    loop.train_ops();
    loop.make.range(HostKind::user_scope, "ProfilerStep#" + std::to_string(i), 1, begin, loop.now);
    if (i == 1)
      loop.make.range(HostKind::user_scope, "ProfilerStep#1", 1, begin + 10, loop.now + 10);
  }
  const Steps steps = found(loop);
  EXPECT_EQ(steps.list.size(), 4U);
  ASSERT_EQ(steps.notes.size(), 1U);
  EXPECT_NE(steps.notes[0].find("1 mark overlaps"), std::string::npos);
}

}  // namespace
}  // namespace stepscope
