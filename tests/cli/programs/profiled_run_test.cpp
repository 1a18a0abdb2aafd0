// SPDX-License-Identifier: Apache-2.0
#include "cli/programs/profiled_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "cli/programs/interruption.hpp"
#include "tests/cli/run_stepscope.hpp"

namespace stepscope {
namespace {

using testing::HasSubstr;

// As where the signal comes while the command is being started: its id is not known yet.
TEST(RunPlain, ACommandIsToldOfAnInterruptionThatCameBeforeIt) {
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) {
    const Folder folder;
    struct sigaction before {};
    struct sigaction usual {};
    usual.sa_handler = SIG_DFL;
    sigaction(number, &usual, &before);
    {
      const Interruption noted;
      raise(number);
      ASSERT_TRUE(Interruption::came());
      const Status ran = run_plain("exec sleep 60", folder.at("run"));
      ASSERT_FALSE(ran) << number;
      EXPECT_THAT(ran.error().message, HasSubstr("ended with 143"));
    }
    sigaction(number, &before, nullptr);
  }
}

TEST(RunPlain, AHangUpThatIsIgnoredStaysSo) {
  const Folder folder;
  struct sigaction before {};
  struct sigaction ignored {};
  ignored.sa_handler = SIG_IGN;
  sigaction(SIGHUP, &ignored, &before);
  {
    const Interruption noted;
    raise(SIGHUP);
    EXPECT_FALSE(Interruption::came());
    EXPECT_TRUE(run_plain("true", folder.at("run")));
  }
  sigaction(SIGHUP, &before, nullptr);
}

}  // namespace
}  // namespace stepscope
