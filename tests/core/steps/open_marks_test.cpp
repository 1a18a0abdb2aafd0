// SPDX-License-Identifier: Apache-2.0
#include "core/steps/open_marks.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "tests/core/steps/found.hpp"

namespace stepscope {
namespace {

using testing::Contains;
using testing::HasSubstr;

// Eight marked steps of 100 us, of which one has no end.
Steps steps_without_end(int open, const std::string& name) {
  LoopMaker loop;
  for (int i = 0; i < 8; ++i) {
    const std::int64_t begin = loop.now;
    loop.kernel("gemm", 60'000), loop.wait();
    loop.now = begin + 100'000;
    loop.make.range(HostKind::user_scope, name + std::to_string(i), 1, begin,
                    i == open ? begin : loop.now);
  }
  return found(loop);
}

std::vector<std::int64_t> counted_walls(const Steps& steps) {
  std::vector<std::int64_t> out;
  for (const Step& step : steps.list)
    if (step.steady) out.push_back(step.wall_ns());
  return out;
}

TEST(OpenMarks, TheLastOneIsNoStep) {
  for (const char* name : {"ProfilerStep#", "train_step ", "iteration "}) {
    const Steps steps = steps_without_end(7, name);
    EXPECT_EQ(steps.list.size(), 7U) << name;
    EXPECT_EQ(counted_walls(steps), std::vector<std::int64_t>(6, 100'000)) << name;
    EXPECT_THAT(steps.notes, Contains(HasSubstr("1 mark without an end"))) << name;
  }
}

TEST(OpenMarks, AStepInWhichOneLiesIsNotCounted) {
  const Steps steps = steps_without_end(4, "ProfilerStep#");
  EXPECT_EQ(steps.list.size(), 7U);
  EXPECT_EQ(counted_walls(steps), std::vector<std::int64_t>(5, 100'000));
  EXPECT_THAT(steps.notes, Contains(HasSubstr("1 step in which one lies is not counted")));
}

TEST(OpenMarks, OfAnOptimizerTheyEndNoStep) {
  LoopMaker loop;
  for (int i = 0; i < 10; ++i) {
    loop.train_ops();
    const std::int64_t begin = loop.now;
    loop.op("aten::_foreach_addcdiv_", 20'000);
    loop.make.range(HostKind::user_scope, "Optimizer.step#Adam.step", 1, begin,
                    i == 9 ? begin : loop.now);
  }
  EXPECT_EQ(found(loop).list.size(), 9U);
}

// Marked steps of 100 us under these numbers; the work of missing ones is there.
Steps steps_numbered(const std::vector<int>& numbers, SourceKind source) {
  LoopMaker loop;
  loop.make.data.source = source;
  int next = numbers.front();
  for (const int number : numbers) {
    for (; next <= number; ++next) {
      const std::int64_t begin = loop.now;
      loop.kernel("gemm", 60'000), loop.wait();
      loop.now = begin + 100'000;
      if (next == number)
        loop.make.range(HostKind::user_scope, "ProfilerStep#" + std::to_string(number), 1, begin,
                        loop.now);
    }
  }
  return found(loop);
}

TEST(MissingMarks, TheStepBehindThemIsNotCounted) {
  const Steps steps = steps_numbered({3, 4, 5, 6, 8, 9, 12, 13}, SourceKind::kineto);
  EXPECT_EQ(counted_walls(steps), std::vector<std::int64_t>(5, 100'000));
  EXPECT_THAT(steps.notes,
              Contains(HasSubstr(
                  "marks of steps are missing, or another session begins (between 6 and 8, ...)")));
}

// Another session an hour later, whose marks are numbered from 0 on again.
TEST(MissingMarks, TheStepThatHoldsTheTimeBetweenTwoSessionsIsNotCounted) {
  LoopMaker loop;
  loop.make.data.source = SourceKind::kineto;
  for (int i = 0; i < 12; ++i) {
    if (i == 6) loop.now += 3'600'000'000'000;
    const std::int64_t begin = loop.now;
    loop.kernel("gemm", 60'000), loop.wait();
    loop.now = begin + 100'000;
    loop.make.range(HostKind::user_scope, "ProfilerStep#" + std::to_string(i % 6), 1, begin,
                    loop.now);
  }
  const Steps steps = found(loop);
  EXPECT_EQ(counted_walls(steps), std::vector<std::int64_t>(10, 100'000));
  EXPECT_THAT(steps.notes, Contains(HasSubstr("another session begins (between 5 and 7)")));
}

TEST(MissingMarks, NumbersThatRiseByMoreMissNone) {
  const Steps steps = steps_numbered({10, 20, 30, 40, 50}, SourceKind::kineto);
  EXPECT_EQ(counted_walls(steps), std::vector<std::int64_t>(4, 1'000'000));
}

// Our recorder loses no marks: the program marked none there.
TEST(MissingMarks, AreNotLookedForInOurOwnRecordings) {
  const Steps steps = steps_numbered({3, 4, 5, 6, 8, 9, 10}, SourceKind::stepscope);
  EXPECT_EQ(counted_walls(steps).size(), 6U);
}

// Six steps of 100 us with work at their begin and end; `cut`: the last one's end is missing.
Steps steps_with_ends(bool cut, SourceKind source = SourceKind::kineto) {
  LoopMaker loop;
  loop.make.data.source = source;
  for (int i = 0; i < 6; ++i) {
    const std::int64_t begin = loop.now;
    loop.kernel("gemm", 60'000), loop.wait();
    loop.now = begin + 95'000;
    if (!cut || i < 5) loop.op("aten::add");
    loop.now = begin + 100'000;
    loop.make.range(HostKind::user_scope, "ProfilerStep#" + std::to_string(i), 1, begin, loop.now);
  }
  return found(loop);
}

TEST(CutMark, ALastMarkThatOutlastsTheRecordsIsNotCounted) {
  EXPECT_EQ(counted_walls(steps_with_ends(false)).size(), 5U);
  const Steps cut = steps_with_ends(true);
  EXPECT_EQ(counted_walls(cut).size(), 4U);
  EXPECT_THAT(cut.notes, Contains(HasSubstr("the last mark outlasts the records")));
  EXPECT_EQ(counted_walls(steps_with_ends(true, SourceKind::stepscope)).size(), 5U);
}

// Saving a checkpoint behind the loop's last record: nothing of it is missing.
TEST(CutMark, ALongLastStepThatHoldsAllThatOthersHoldIsCounted) {
  LoopMaker loop;
  loop.make.data.source = SourceKind::kineto;
  for (int i = 0; i < 6; ++i) {
    const std::int64_t begin = loop.now;
    loop.kernel("gemm", 60'000), loop.wait(), loop.op("aten::add");
    loop.now = begin + (i == 5 ? 1'000'000 : 100'000);
    loop.make.range(HostKind::user_scope, "ProfilerStep#" + std::to_string(i), 1, begin, loop.now);
  }
  const std::vector<std::int64_t> walls = counted_walls(found(loop));
  ASSERT_EQ(walls.size(), 5U);
  EXPECT_EQ(walls.back(), 1'000'000);
}

}  // namespace
}  // namespace stepscope
