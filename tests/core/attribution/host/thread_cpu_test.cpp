// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/host/thread_cpu.hpp"

#include <gtest/gtest.h>

namespace stepscope {
namespace {

Trace with_samples(const std::vector<std::pair<std::int64_t, double>>& samples) {
  TraceData data;
  data.processes.resize(1);
  data.threads = {{.process = 0, .tid = 7, .name = "main"},
                  {.process = 0, .tid = 77, .name = "other"}};
  for (const auto& [time, cpu] : samples) {
    data.counters.time.push_back(time);
    data.counters.track.push_back(data.strings.intern("thread_cpu.7"));
    data.counters.process.push_back(0);
    data.counters.value.push_back(cpu);
  }
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

TEST(ThreadCpu, TheOrderOfTheRowsDoesNotMatter) {
  const ThreadCpu cpu(with_samples({{200, 100}, {0, 0}, {100, 100}}));
  EXPECT_DOUBLE_EQ(*cpu.share(0, {0, 200}), 0.5);
}

}  // namespace
}  // namespace stepscope
