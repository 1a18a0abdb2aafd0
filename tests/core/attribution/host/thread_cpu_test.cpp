// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/host/thread_cpu.hpp"

#include <gtest/gtest.h>

namespace stepscope {
namespace {

Trace with_samples(const std::vector<std::pair<std::int64_t, double>>& samples,
                   const std::vector<std::pair<std::int64_t, double>>& waits = {}) {
  TraceData data;
  data.processes.resize(1);
  data.threads = {{.process = 0, .tid = 7, .name = "main"},
                  {.process = 0, .tid = 77, .name = "other"}};
  const auto add = [&data](const char* track, std::int64_t time, double value) {
    data.counters.time.push_back(time);
    data.counters.track.push_back(data.strings.intern(track));
    data.counters.process.push_back(0);
    data.counters.value.push_back(value);
  };
  for (const auto& [time, cpu] : samples) add("thread_cpu.7", time, cpu);
  for (const auto& [time, waited] : waits) add("thread_wait.7", time, waited);
  return Trace::build(std::move(data));
}

TEST(ThreadCpu, IsReadBetweenTheSamplesAround) {
  const ThreadCpu cpu(with_samples({{0, 0}, {100, 100}, {200, 100}, {300, 150}}));
  EXPECT_DOUBLE_EQ(*cpu.share(0, {0, 100}), 1.0);
  EXPECT_DOUBLE_EQ(*cpu.share(0, {100, 200}), 0.0);
  EXPECT_DOUBLE_EQ(*cpu.share(0, {200, 300}), 0.5);
  EXPECT_DOUBLE_EQ(*cpu.share(0, {50, 150}), 0.5);
  EXPECT_DOUBLE_EQ(*cpu.share(0, {0, 300}), 0.5);
}

TEST(ThreadCpu, SaysNothingWhereSamplesAreNotAround) {
  const ThreadCpu cpu(with_samples({{100, 0}, {200, 100}}));
  EXPECT_FALSE(cpu.share(0, {50, 150}));
  EXPECT_FALSE(cpu.share(0, {150, 250}));
  EXPECT_FALSE(cpu.share(0, {150, 150}));
  EXPECT_FALSE(cpu.share(1, {100, 200})) << "another thread's id ends with the same digit";
}

TEST(ThreadCpu, WaitingForACoreIsNoSleep) {
  const ThreadCpu cpu(with_samples({{0, 0}, {100, 30}}, {{0, 0}, {100, 50}}));
  const auto use = cpu.use(0, {0, 100});
  ASSERT_TRUE(use);
  EXPECT_EQ(use->ran, 30);
  EXPECT_EQ(use->waited, 50);
  EXPECT_EQ(use->slept, 20);
}

TEST(ThreadCpu, ClocksThatContradictEachOtherStillSumToTheInterval) {
  const ThreadCpu cpu(with_samples({{0, 0}, {100, 70}}, {{0, 0}, {100, 50}}));
  const auto use = cpu.use(0, {0, 100});
  ASSERT_TRUE(use);
  EXPECT_EQ(use->ran, 70);
  EXPECT_EQ(use->waited, 30);
  EXPECT_EQ(use->slept, 0);
}

// The kernel counts a wait when it ends.
TEST(ThreadCpu, AWaitThatWasCountedLateIsMovedToWhereItWas) {
  const ThreadCpu cpu(with_samples({{0, 0}, {100, 0}, {150, 30}}, {{0, 0}, {100, 0}, {150, 90}}));
  EXPECT_EQ(cpu.use(0, {100, 150})->waited, 20);
  EXPECT_EQ(cpu.use(0, {0, 100})->waited, 70);
  EXPECT_EQ(cpu.use(0, {0, 100})->slept, 30);
}

TEST(ThreadCpu, WaitsAreToldInAsMuchOfAnIntervalAsSamplesCover) {
  const ThreadCpu cpu(with_samples({{100, 0}, {200, 40}, {300, 40}}, {{100, 0}, {200, 60}}));
  EXPECT_EQ(cpu.waits_known(0), (Interval{100, 200}));
  EXPECT_EQ(cpu.waited_ns(0, {50, 250}), 60);
  EXPECT_EQ(cpu.waited_ns(0, {150, 250}), 30);
  EXPECT_EQ(cpu.waited_ns(0, {200, 300}), 0);
}

TEST(ThreadCpu, WaitsAreNotToldWithoutBothClocks) {
  using Readings = std::vector<std::pair<std::int64_t, double>>;
  const Readings two = {{0, 0}, {100, 40}}, one = {{0, 0}}, none;
  EXPECT_FALSE(ThreadCpu(with_samples(two, two)).waits_known(0).empty());
  EXPECT_TRUE(ThreadCpu(with_samples(two, none)).waits_known(0).empty());
  EXPECT_TRUE(ThreadCpu(with_samples(none, two)).waits_known(0).empty());
  EXPECT_TRUE(ThreadCpu(with_samples(two, one)).waits_known(0).empty());
  EXPECT_TRUE(ThreadCpu(with_samples(two, two)).waits_known(99).empty()) << "there is none";
}

TEST(ThreadCpu, TheOrderOfTheRowsDoesNotMatter) {
  const ThreadCpu cpu(with_samples({{200, 100}, {0, 0}, {100, 100}}));
  EXPECT_DOUBLE_EQ(*cpu.share(0, {0, 200}), 0.5);
}

}  // namespace
}  // namespace stepscope
