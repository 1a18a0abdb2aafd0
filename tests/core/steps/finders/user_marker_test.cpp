// SPDX-License-Identifier: Apache-2.0
#include "core/steps/finders/finders.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/steps/found.hpp"

namespace stepscope {
namespace {

using ::testing::HasSubstr;

TEST(UserMarker, BeatsEveryOtherMark) {
  LoopMaker loop;
  for (int i = 0; i < 4; ++i) {
    loop.range("ProfilerStep#" + std::to_string(i), [&] {
      loop.range("my work", [&] { loop.train_ops(); });
      loop.range("my work", [&] { loop.train_ops(); });
    });
  }
  const Steps steps = found(loop, {.marker_regex = "^my w"});
  EXPECT_EQ(steps.found_by, FoundBy::user_marker);
  EXPECT_EQ(steps.list.size(), 8U);
}

TEST(UserMarker, OneMatchIsOneStep) {
  LoopMaker loop;
  loop.range("all of it", [&] { loop.train_ops(); });
  const Steps steps = found(loop, {.marker_regex = "all"});
  ASSERT_EQ(steps.list.size(), 1U);
  EXPECT_TRUE(steps.list[0].steady);
}

TEST(UserMarker, MatchesOpsAndPythonFunctionsWhereNoAnnotationDoes) {
  LoopMaker loop;
  for (int i = 0; i < 3; ++i) {
    loop.range(
        "train.py(12): one_round", [&] { loop.train_ops(); }, HostKind::python_function);
  }
  EXPECT_EQ(found(loop, {.marker_regex = "one_round"}).list.size(), 3U);
}

TEST(UserMarker, NoMatchNamesWhatThereIs) {
  LoopMaker loop;
  for (int i = 0; i < 3; ++i) loop.range("round " + std::to_string(i), [&] { loop.train_ops(); });
  const Result<Steps> steps = find_steps(loop.build(), {.marker_regex = "batch"});
  ASSERT_FALSE(steps.ok());
  EXPECT_EQ(steps.error().code, ErrorCode::usage);
  EXPECT_THAT(steps.error().message, HasSubstr("'round #' (3x)"));
}

TEST(UserMarker, ABadExpressionIsAUsageError) {
  LoopMaker loop;
  loop.train_ops();
  const Result<Steps> steps = find_steps(loop.build(), {.marker_regex = "step ["});
  ASSERT_FALSE(steps.ok());
  EXPECT_EQ(steps.error().code, ErrorCode::usage);
  EXPECT_THAT(steps.error().message, HasSubstr("step ["));
}

TEST(UserMarker, MarksWithoutALengthLeaveTheWholeTrace) {
  LoopMaker loop;
  loop.kernel("gemm", 50'000);
  loop.make.range(HostKind::user_scope, "mark", 1, loop.now - 500, loop.now - 500);
  loop.kernel("gemm", 50'000);
  const Steps steps = found(loop, {.marker_regex = "mark"});
  EXPECT_EQ(steps.found_by, FoundBy::whole_trace);
  EXPECT_THAT(steps.how, HasSubstr("none has a length"));
  EXPECT_GT(steps.list.front().wall_ns(), 0);
}

}  // namespace
}  // namespace stepscope
