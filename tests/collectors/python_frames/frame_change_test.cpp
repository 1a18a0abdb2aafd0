// SPDX-License-Identifier: Apache-2.0
#include "collectors/python_frames/frame_change.hpp"

#include <gtest/gtest.h>

#include <array>

namespace stepscope::python {
namespace {

// main: for (units 10 to 50): while (20 to 40); a handler at 80 to 90 guards 25 to 30, inside both.
// It calls `helper`, which has no loop.
struct Stack {
  std::array<CodeLoop, 2> loops{CodeLoop{.begin = 10, .end = 50, .has_iterator = true, .body = 12},
                                CodeLoop{.begin = 20, .end = 40, .body = 20}};
  std::array<Handler, 1> handlers{
      Handler{.begin = 80, .end = 90, .guards_begin = 25, .guards_end = 30}};
  CodeShape shape{loops, handlers}, no_shape{};
  std::array<char, 4> objects{};
  Object main_frame = &objects[0], main_code = &objects[1];
  Object helper_frame = &objects[2], helper_code = &objects[3];

  Place main_at(std::uint32_t unit) const { return {main_frame, main_code, unit, false}; }
  Place helper_at(std::uint32_t unit, bool by_python = true) const {
    return {helper_frame, helper_code, unit, by_python};
  }
  std::array<SeenFrame, 2> seen(std::uint32_t main_unit, std::uint32_t helper_unit) const {
    return {SeenFrame{main_at(main_unit), &shape, true},
            SeenFrame{helper_at(helper_unit), &no_shape, true}};
  }
};

TEST(FrameChange, AFrameThatWentOnIsTheSameCall) {
  const Stack stack;
  const Change change = change_at(stack.seen(15, 0), 0, stack.main_at(35));
  EXPECT_TRUE(change.same_call);
  EXPECT_EQ(change.round.loop, nullptr);
}

TEST(FrameChange, TheInnermostLoopThatHoldsBothPlacesCameRound) {
  const Stack stack;
  EXPECT_EQ(change_at(stack.seen(35, 0), 0, stack.main_at(22)).round.loop, &stack.loops[1]);
  EXPECT_EQ(change_at(stack.seen(45, 0), 0, stack.main_at(22)).round.loop, &stack.loops[0]);
}

TEST(FrameChange, AHandlerStandsWhereItGuards) {
  const Stack stack;
  const Change into = change_at(stack.seen(27, 0), 0, stack.main_at(85));
  EXPECT_TRUE(into.same_call);
  EXPECT_EQ(into.round.loop, nullptr);
  const Change out = change_at(stack.seen(85, 0), 0, stack.main_at(35));
  EXPECT_TRUE(out.same_call);
  EXPECT_EQ(out.round.loop, nullptr);
  EXPECT_EQ(change_at(stack.seen(85, 0), 0, stack.main_at(22)).round.loop, &stack.loops[1]);
}

TEST(FrameChange, ACallAnewIsARoundOfItsCallersLoop) {
  const Stack stack;
  const Change change = change_at(stack.seen(25, 60), 1, stack.helper_at(5));
  EXPECT_FALSE(change.same_call);
  EXPECT_EQ(change.round.frame, 0U);
  EXPECT_EQ(change.round.loop, &stack.loops[1]);
}

TEST(FrameChange, CMayCallAFunctionManyTimesInOneIteration) {
  const Stack stack;
  const Change change = change_at(stack.seen(25, 60), 1, stack.helper_at(5, false));
  EXPECT_FALSE(change.same_call);
  EXPECT_EQ(change.round.loop, nullptr);
}

}  // namespace
}  // namespace stepscope::python
