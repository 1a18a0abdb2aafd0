// SPDX-License-Identifier: Apache-2.0
#include "collectors/host_sampler/thread_clock.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <functional>
#include <mutex>
#include <thread>

namespace stepscope::host_sampler {
namespace {

using std::chrono::milliseconds;

// Returns asleep_in of a thread that has been in `body` for a while; `wake` ends it.
AsleepIn asleep_in_during(const std::function<void()>& body, const std::function<void()>& wake) {
  std::atomic<pid_t> tid{0};
  std::thread thread([&] {
    tid = gettid();
    body();
  });
  while (tid == 0 || is_runnable(tid)) std::this_thread::sleep_for(milliseconds(1));
  std::this_thread::sleep_for(milliseconds(50));
  const AsleepIn seen = asleep_in(tid);
  wake();
  thread.join();
  return seen;
}

struct Pipe {
  Pipe() { EXPECT_EQ(pipe(ends.data()), 0); }
  ~Pipe() {
    close(ends[0]);
    close(ends[1]);
  }
  std::array<int, 2> ends{};
};

class AsleepInTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!can_see_calls(gettid())) GTEST_SKIP() << "this system does not show calls of threads";
  }
};

TEST_F(AsleepInTest, AWriteThatBlocksIsAFile) {
  const Pipe full;
  std::array<char, 65536> text{}, received{};
  const auto write_twice = [&] {
    for (int i = 0; i < 2; ++i) EXPECT_GT(write(full.ends[1], text.data(), text.size()), 0);
  };
  const auto empty = [&] {
    for (std::size_t left = 2 * text.size(); left > 0;) {
      const ssize_t taken = read(full.ends[0], received.data(), received.size());
      ASSERT_GT(taken, 0);
      left -= static_cast<std::size_t>(taken);
    }
  };
  EXPECT_EQ(asleep_in_during(write_twice, empty), AsleepIn::file);
}

TEST_F(AsleepInTest, APipeIsAChannel) {
  const Pipe pipe;
  const auto wake = [&] { EXPECT_EQ(write(pipe.ends[1], "x", 1), 1); };
  char byte = 0;
  const auto read_byte = [&] { EXPECT_EQ(read(pipe.ends[0], &byte, 1), 1); };
  EXPECT_EQ(asleep_in_during(read_byte, wake), AsleepIn::channel);
  const auto poll_it = [&] {
    pollfd one{.fd = pipe.ends[0], .events = POLLIN, .revents = 0};
    EXPECT_EQ(poll(&one, 1, -1), 1);
  };
  EXPECT_EQ(asleep_in_during(poll_it, wake), AsleepIn::channel);
}

TEST_F(AsleepInTest, ASleepIsATimer) {
  EXPECT_EQ(asleep_in_during([] { std::this_thread::sleep_for(milliseconds(300)); }, [] {}),
            AsleepIn::timer);
  const auto select_nothing = [] {
    timeval time{.tv_sec = 0, .tv_usec = 300'000};
    EXPECT_EQ(select(0, nullptr, nullptr, nullptr, &time), 0);
  };
  EXPECT_EQ(asleep_in_during(select_nothing, [] {}), AsleepIn::timer);
}

TEST_F(AsleepInTest, ALockIsALock) {
  std::mutex mutex;
  mutex.lock();
  EXPECT_EQ(asleep_in_during([&] { const std::lock_guard hold(mutex); }, [&] { mutex.unlock(); }),
            AsleepIn::lock);
}

TEST_F(AsleepInTest, TheEndOfAProcessIsAChild) {
  const pid_t child = fork();
  if (child == 0) {
    for (;;) pause();
  }
  EXPECT_EQ(asleep_in_during([&] { EXPECT_EQ(waitpid(child, nullptr, 0), child); },
                             [&] { kill(child, SIGKILL); }),
            AsleepIn::child);
}

TEST_F(AsleepInTest, AThreadThatRunsIsInNothing) {
  std::atomic<pid_t> tid{0};
  std::atomic<bool> stops{false};
  std::thread spinning([&] {
    tid = gettid();
    while (!stops) continue;
  });
  while (tid == 0) std::this_thread::sleep_for(milliseconds(1));
  EXPECT_EQ(asleep_in(tid), AsleepIn::unknown);
  stops = true;
  spinning.join();
}

}  // namespace
}  // namespace stepscope::host_sampler
