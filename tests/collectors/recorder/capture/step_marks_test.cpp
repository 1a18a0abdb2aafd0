// SPDX-License-Identifier: Apache-2.0
#include "collectors/recorder/capture/step_marks.hpp"

#include <gtest/gtest.h>

#include <string>

namespace stepscope::recorder {
namespace {

TEST(StepMarks, AreToldByName) {
  for (const char* name : {"Optimizer.step#Adam.step", "ProfilerStep#7", "step 12", "train_step_3",
                           "Iteration 4", "iter/5", "BATCH:9", "epoch 3/iter 7", "step \x01"})
    EXPECT_TRUE(is_step_mark(name)) << name;
  for (const char* name : {"step", "layer 3", "footstep 3", "Optimizer.zero_grad#Adam.zero_grad",
                           "12", "", "step 12 of epoch"})
    EXPECT_FALSE(is_step_mark(name)) << name;
}

TEST(StepMarks, SeveralMarksAnIterationAreOneStep) {
  StepCount count;
  const std::uint64_t first = mark_key("Optimizer.step#Adam.step", 1);
  const std::uint64_t second = mark_key("Optimizer.step#Adam.step", 2);
  ASSERT_NE(first, second);
  int new_steps = 0;
  for (int i = 0; i < 5; ++i) {
    new_steps += count.add(first) ? 1 : 0;
    new_steps += count.add(second) ? 1 : 0;
  }
  EXPECT_EQ(new_steps, 5);
  EXPECT_EQ(count.steps(), 5U);
}

TEST(StepMarks, TheNumberOfAnEpochMakesNoOtherMark) {
  StepCount count;
  for (int epoch = 0; epoch < 40; ++epoch) {
    for (int i = 0; i < 5; ++i)
      count.add(mark_key("epoch " + std::to_string(epoch) + "/iter " + std::to_string(i), 1));
  }
  EXPECT_EQ(count.steps(), 200U);
}

TEST(StepMarks, APatternIsTheSameMarkAsItsNames) {
  EXPECT_EQ(mark_key("step \x01", 1), mark_key("step 12", 1));
  EXPECT_EQ(mark_key("epoch \x01/iter \x01", 1), mark_key("epoch 3/iter 7", 1));
  EXPECT_NE(mark_key("Optimizer.step#Adam8.step", 1), mark_key("Optimizer.step#Adam4.step", 1));
}

TEST(StepMarks, AMarkThatVanishesDoesNotHoldTheCount) {
  StepCount count;
  EXPECT_TRUE(count.add(mark_key("warm-up step 1", 0)));
  EXPECT_FALSE(count.add(mark_key("step 1", 0)));
  EXPECT_TRUE(count.add(mark_key("step 2", 0)));
  EXPECT_EQ(mark_key("step 1", 0), mark_key("step 22", 0));
}

}  // namespace
}  // namespace stepscope::recorder
