// SPDX-License-Identifier: Apache-2.0
#include "collectors/doctor/question.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>

namespace stepscope::doctor {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

TEST(Question, AnAnswerIsWhatWasSaidInItsOrder) {
  const Answer answer = ask(
      [](const Say& say) {
        say("path", "/opt/a=b/lib.so");
        say("empty", "");
        say("gpu", "two\nlines");
      },
      20s);
  EXPECT_THAT(answer.said, ElementsAre(Pair("path", "/opt/a=b/lib.so"), Pair("empty", ""),
                                       Pair("gpu", "two lines")));
  EXPECT_EQ(answer.failure, "");
  EXPECT_EQ(answer.value_of("path"), "/opt/a=b/lib.so");
  EXPECT_EQ(answer.value_of("none"), "");
}

TEST(Question, WhatWasSaidBeforeADeathIsKept) {
  const Answer answer = ask(
      [](const Say& say) {
        say("path", "lib.so");
        (void)raise(SIGKILL);
      },
      20s);
  EXPECT_EQ(answer.value_of("path"), "lib.so");
  EXPECT_EQ(answer.failure, "died: Killed");
}

TEST(Question, ALibraryThatEndsTheProcessHasNotAnswered) {
  EXPECT_EQ(ask([](const Say&) { _exit(0); }, 20s).failure, "ended its process with status 0");
}

// Also where a program that it started holds on to everything that it inherited.
TEST(Question, AtTheLimitTheChildAndWhatItStartedAreKilled) {
  const auto begin = std::chrono::steady_clock::now();
  const Answer answer = ask([](const Say&) { (void)std::system("sleep 60"); }, 200ms);
  EXPECT_EQ(answer.failure, "gave no answer in 0.2 s");
  EXPECT_THAT(answer.said, IsEmpty());
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 30s);
}

}  // namespace
}  // namespace stepscope::doctor
