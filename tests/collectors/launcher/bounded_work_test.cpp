// SPDX-License-Identifier: Apache-2.0
#include "collectors/launcher/bounded_work.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <new>
#include <stdexcept>
#include <thread>

namespace stepscope::launcher {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using Clock = std::chrono::steady_clock;

TEST(BoundedWork, IsDoneInAnotherProcess) {
  const std::string path = testing::TempDir() + "bounded_work_" + std::to_string(getpid());
  int here = 0;
  EXPECT_EQ(do_bounded(
                [&] {
                  std::ofstream(path) << "done";
                  here = 1;
                  return Status(Done{});
                },
                seconds(60)),
            "");
  EXPECT_EQ(here, 0);
  EXPECT_TRUE(std::filesystem::remove(path));
}

TEST(BoundedWork, SaysWhyItFailed) {
  EXPECT_EQ(do_bounded([] { return Status(io_error("the disk is full")); }, seconds(60)),
            "the disk is full");
  EXPECT_EQ(do_bounded([]() -> Status { throw std::runtime_error("thrown"); }, seconds(60)),
            "thrown");
}

TEST(BoundedWork, ACrashHarmsNothing) {
  const std::string why = do_bounded(
      []() -> Status {
        signal(SIGSEGV, SIG_DFL);  // a sanitizer catches it
        raise(SIGSEGV);
        return Done{};
      },
      seconds(60));
  EXPECT_THAT(why, HasSubstr("egmentation"));
}

Status forever() {
  for (;;) pause();
}

TEST(BoundedWork, EndsAtItsTime) {
  const auto begun = Clock::now();
  EXPECT_THAT(do_bounded(forever, milliseconds(300)), HasSubstr("not done within 0 s"));
  EXPECT_LT(Clock::now() - begun, seconds(30));
}

// The command's end is known already: a signal must not replace its exit status.
TEST(BoundedWork, ASignalEndsTheWorkAlone) {
  sigset_t term;
  sigemptyset(&term);
  sigaddset(&term, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &term, nullptr);  // in both threads, as it is in the launcher
  std::jthread sender([self = getpid()] {
    std::this_thread::sleep_for(milliseconds(300));
    kill(self, SIGTERM);
  });
  EXPECT_NE(do_bounded(forever, seconds(60)), "");
  pthread_sigmask(SIG_UNBLOCK, &term, nullptr);
}

}  // namespace
}  // namespace stepscope::launcher
