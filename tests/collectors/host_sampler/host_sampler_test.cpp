// SPDX-License-Identifier: Apache-2.0
// The sampler's thread over real rings, without Python: CPU clocks of silent threads.
#include "collectors/host_sampler/host_sampler.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "collectors/recorder/clock.hpp"
#include "core/model/events.hpp"
#include "tests/collectors/recorded_child.hpp"

namespace stepscope::host_sampler {
namespace {

using std::chrono::milliseconds;

void range(const char* name) {
  recorder::begin_range(recorder::kLaneUser, HostKind::user_scope,
                        recorder::range_name(name, std::string_view(name).size()), 0, 0,
                        kNoSequence);
  recorder::end_range(recorder::kLaneUser);
}

void run_for(milliseconds time) {
  const auto until = std::chrono::steady_clock::now() + time;
  volatile unsigned turns = 0;
  while (std::chrono::steady_clock::now() < until) turns = turns + 1;
}

void use_cpu_for(milliseconds time) {
  while (recorder::clock_ns(CLOCK_THREAD_CPUTIME_ID) < std::chrono::nanoseconds(time).count()) {
  }
}

void start_sampler() {
  auto* sampler = new HostSampler({.period_us = 1000, .reads_frames = false});  // as in a program
  ASSERT_TRUE(recorder::add_row_source(sampler));
  ASSERT_TRUE(sampler->start());
}

class HostSamplerTest : public RecordedChild {};

TEST_F(HostSamplerTest, ASilentThreadHasSamplesWhileItRunsAndOneWhereItSleeps) {
  record([] {
    start_sampler();
    range("begin");
    run_for(milliseconds(300));
    range("middle");
    std::this_thread::sleep_for(milliseconds(300));
    range("end");
  });
  const Trace trace = read();
  const Samples& samples = trace.data().samples;
  ASSERT_EQ(trace.host_ranges().size(), 3U);
  const std::int64_t middle = trace.host_ranges().begin[1];
  std::size_t running = 0, sleeping = 0, asleep = 0;
  std::uint64_t cpu = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (samples.thread[i] != trace.host_ranges().thread[0]) continue;
    (samples.time[i] < middle ? running : sleeping) += 1;
    EXPECT_EQ(samples.site[i], kNone);
    const bool slept = (samples.flags[i] & kSampleStateMask) == kSampleSlept;
    EXPECT_NE(samples.flags[i] & kSampleStateMask, 0);
    EXPECT_FALSE(slept && samples.time[i] < middle) << "ready to run all the time";
    asleep += slept ? 1U : 0U;
    EXPECT_GE(samples.cpu[i], cpu) << i;
    cpu = samples.cpu[i];
  }
  EXPECT_GE(running, 2U);
  EXPECT_GE(sleeping, 1U);
  EXPECT_GE(asleep, 1U);
  EXPECT_LE(sleeping, 5U) << "a thread that sleeps is where it was";
}

TEST_F(HostSamplerTest, TheProcessClockHoldsAllThreads) {
  record([] {
    start_sampler();
    range("begin");
    std::thread other([] { use_cpu_for(milliseconds(300)); });
    other.join();
    range("end");
  });
  const Trace trace = read();
  const Counters& c = trace.data().counters;
  double first = -1, last = 0;
  for (std::size_t row = 0; row < c.size(); ++row) {
    if (trace.text(c.track[row]) != kProcessCpuTrack) continue;
    EXPECT_GE(c.value[row], last);
    last = c.value[row];
    if (first < 0) first = last;
  }
  EXPECT_GE(last - first, 0.2e9) << "the other thread used 0.3 s";
}

// A worker of a multiprocessing.Pool runs nothing of ours.
TEST_F(HostSamplerTest, TheClockOfAProcessThatIsNotRecordedIsRead) {
  record([] {
    start_sampler();
    range("begin");
    const pid_t child = fork();
    if (child == 0) {
      use_cpu_for(milliseconds(900));
      _exit(0);
    }
    std::this_thread::sleep_for(milliseconds(800));
    waitpid(child, nullptr, 0);
    range("end");
  });
  const Trace trace = read();
  const Counters& c = trace.data().counters;
  double last = 0;
  for (std::size_t row = 0; row < c.size(); ++row) {
    if (!trace.text(c.track[row]).starts_with(kChildCpuTrack)) continue;
    EXPECT_GE(c.value[row], last);
    last = c.value[row];
  }
  EXPECT_GE(last, 0.2e9);
}

TEST_F(HostSamplerTest, ThreadsMayBeginAndEndAllTheTime) {
  record([] {
    start_sampler();
    for (int round = 0; round < 40; ++round) {
      std::vector<std::thread> threads;
      for (int i = 0; i < 8; ++i) {
        threads.emplace_back([i] {
          range("begin");
          i % 2 == 0 ? run_for(milliseconds(i)) : std::this_thread::sleep_for(milliseconds(i));
          range("end");
        });
      }
      for (std::thread& thread : threads) thread.join();
    }
  });
  const Trace trace = read();
  EXPECT_EQ(trace.host_ranges().size(), 640U);
  EXPECT_EQ(trace.health().dropped_records, 0U);
  EXPECT_GT(trace.data().samples.size(), 0U);
}

TEST_F(HostSamplerTest, AForkThatRecordsHasASamplerOfItsOwnToStart) {
  record([] {
    start_sampler();
    range("parent");
    const pid_t child = fork_while_others_sleep();
    if (child == 0) {
      start_sampler();
      range("child");
      std::this_thread::sleep_for(milliseconds(50));
      range("child");
      recorder::finish(ExitReason::exited, 0);
      _exit(testing::Test::HasFailure() ? 1 : 0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    range("parent");
  });
  EXPECT_EQ(read().host_ranges().size(), 4U);
}

}  // namespace
}  // namespace stepscope::host_sampler
