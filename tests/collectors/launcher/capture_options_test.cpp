// SPDX-License-Identifier: Apache-2.0
#include "collectors/launcher/profile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stepscope {
namespace {

using testing::HasSubstr;

std::string error_of(const CaptureOptions& options) {
  const Result<CaptureOptions> checked = check_capture(options);
  return checked.ok() ? "" : checked.error().message;
}

TEST(CaptureOptions, StepsStayNumbersAndTimesBecomeMilliseconds) {
  const Result<CaptureOptions> checked =
      check_capture({.start_after = "200", .steps = "1.5s", .window = "20/10"});
  ASSERT_TRUE(checked.ok()) << checked.error().message;
  EXPECT_EQ(checked->start_after, "200");
  EXPECT_EQ(checked->steps, "1500ms");
  EXPECT_EQ(checked->window, "20/10");
}

TEST(CaptureOptions, SignalsHaveNamesAndNumbers) {
  for (const char* text : {"USR2", "SIGUSR2", "12"}) {
    const Result<CaptureOptions> checked = check_capture({.signal = text});
    ASSERT_TRUE(checked.ok()) << text;
    EXPECT_EQ(checked->signal, "12") << text;
  }
  EXPECT_THAT(error_of({.signal = "NOPE"}), HasSubstr("--capture-signal NOPE"));
  for (const char* text : {"KILL", "SEGV", "15"})
    EXPECT_THAT(error_of({.signal = text}), HasSubstr("meaning of its own")) << text;
}

TEST(CaptureOptions, WhatIsNoAmountIsNamed) {
  EXPECT_THAT(error_of({.start_after = "soon"}), HasSubstr("--start-after soon"));
  EXPECT_THAT(error_of({.start_after = "0"}), HasSubstr("--start-after 0"));
  EXPECT_THAT(error_of({.steps = "5us"}), HasSubstr("--steps 5us"));
  EXPECT_THAT(error_of({.window = "20"}), HasSubstr("--window 20"));
  EXPECT_THAT(error_of({.window = "2/20"}), HasSubstr("3 at least"));
  EXPECT_THAT(error_of({.window = "20/x"}), HasSubstr("--window 20/x"));
}

TEST(CaptureOptions, WindowsBeginBehindStepsThatNothingTouched) {
  EXPECT_EQ(check_capture({.window = "6/6"})->start_after, "20");
  EXPECT_EQ(check_capture({.start_after = "100", .window = "6/6"})->start_after, "100");
  EXPECT_EQ(check_capture({.window = "6/6", .range = "hot"})->start_after, "");
  EXPECT_EQ(check_capture({.steps = "50"})->start_after, "");
}

TEST(CaptureOptions, TriggersExcludeEachOther) {
  EXPECT_THAT(error_of({.range = "hot", .signal = "USR2"}), HasSubstr("exclude each other"));
  EXPECT_THAT(error_of({.start_after = "5", .range = "hot"}), HasSubstr("--start-after"));
}

}  // namespace
}  // namespace stepscope
