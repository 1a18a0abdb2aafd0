// SPDX-License-Identifier: Apache-2.0
#include "collectors/host_sampler/thread_clock.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

namespace stepscope::host_sampler {
namespace {

using std::chrono::milliseconds;

// Returns sleeps_in_file_call of a thread that has been in `body` for a while; `wake` ends it.
bool sleeps_in_file_call_during(const std::function<void()>& body,
                                const std::function<void()>& wake) {
  std::atomic<pid_t> tid{0};
  std::thread thread([&] {
    tid = gettid();
    body();
  });
  while (tid == 0 || is_runnable(tid)) std::this_thread::sleep_for(milliseconds(1));
  std::this_thread::sleep_for(milliseconds(50));
  const bool told = sleeps_in_file_call(tid);
  wake();
  thread.join();
  return told;
}

struct Pipe {
  Pipe() { EXPECT_EQ(pipe(ends.data()), 0); }
  ~Pipe() {
    close(ends[0]);
    close(ends[1]);
  }
  std::array<int, 2> ends{};
};

TEST(ThreadClock, AWriteThatBlocksIsTold) {
  if (!can_see_calls(gettid())) GTEST_SKIP() << "this system does not tell calls of threads";
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
  EXPECT_TRUE(sleeps_in_file_call_during(write_twice, empty));
}

TEST(ThreadClock, AWaitForAnotherIsNoFileCall) {
  const Pipe pipe;
  char byte = 0;
  EXPECT_FALSE(sleeps_in_file_call_during([&] { EXPECT_EQ(read(pipe.ends[0], &byte, 1), 1); },
                                          [&] { EXPECT_EQ(write(pipe.ends[1], "x", 1), 1); }));
  EXPECT_FALSE(
      sleeps_in_file_call_during([] { std::this_thread::sleep_for(milliseconds(300)); }, [] {}));
  EXPECT_FALSE(sleeps_in_file_call(gettid()));
}

}  // namespace
}  // namespace stepscope::host_sampler
