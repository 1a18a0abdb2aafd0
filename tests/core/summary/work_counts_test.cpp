// SPDX-License-Identifier: Apache-2.0
#include "core/summary/work_counts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/model/trace_maker.hpp"

namespace stepscope {
namespace {

using testing::IsEmpty;

Steps steps_of(std::int64_t count) {
  Steps steps;
  for (std::int64_t k = 0; k < count; ++k) {
    Step step;
    step.host = {100 * k, 100 * k + 90};
    step.window = {100 * k + 50, 100 * k + 150};  // the device is half a step behind
    steps.list.push_back(step);
  }
  return steps;
}

Steps three_steps() {
  return steps_of(3);
}

WorkCount count_of(const std::vector<WorkCount>& counts, const std::string& name) {
  for (const WorkCount& count : counts)
    if (count.name == name) return count;
  ADD_FAILURE() << "no count " << name;
  return {};
}

TEST(WorkCounts, WorkIsOfTheStepWhoseHostIssuedIt) {
  TraceMaker make;
  make.data.collected = {.device_ops = true, .api_calls = true};
  const StreamId stream = make.stream(7);
  std::uint32_t id = 1;
  for (std::int64_t k = 0; k < 3; ++k) {
    for (std::int64_t i = 0; i <= k; ++i, ++id) {  // 1, 2, 3 kernels, each run a step later
      make.call("cudaLaunchKernel", 1, 100 * k + 10 + 5 * i, 100 * k + 12 + 5 * i, id, stream);
      make.kernel("k", 7, 100 * k + 110 + 5 * i, 100 * k + 113 + 5 * i, id);
    }
    make.call("cudaStreamSynchronize", 1, 100 * k + 92, 100 * k + 95);  // behind the marker's range
  }
  const auto counts = count_work(make.build(), three_steps(), {1, 2});
  EXPECT_EQ(count_of(counts, "kernels").total, 5U);
  EXPECT_EQ(count_of(counts, "kernels").least_a_step, 2U);
  EXPECT_EQ(count_of(counts, "kernels").most_a_step, 3U);
  EXPECT_EQ(count_of(counts, "launches").total, 5U);
  EXPECT_EQ(count_of(counts, "host_syncs").total, 1U);  // the last step ends before its own
  EXPECT_EQ(count_of(counts, "kernels").in_recording, 6U);
  EXPECT_EQ(count_of(counts, "host_syncs").in_recording, 3U);
}

// Its workers would run them unseen.
TEST(WorkCounts, OperationsOfALoaderThatMakesItsBatchesItselfAreCountedApart) {
  TraceMaker make;
  make.data.collected = {.framework_ops = true};
  for (std::int64_t k = 0; k < 3; ++k) {
    make.range(HostKind::user_scope, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
               1, 100 * k + 1, 100 * k + 20);
    make.range(HostKind::op, "aten::randn", 1, 100 * k + 5, 100 * k + 10);
    make.range(HostKind::op, "aten::mm", 1, 100 * k + 30, 100 * k + 60);
  }
  const std::vector<WorkCount> counts = count_work(make.build(), three_steps(), {0, 1, 2});
  EXPECT_EQ(count_of(counts, "cpu_ops").total, 3U);
  EXPECT_EQ(count_of(counts, "loader_ops").total, 3U);
}

TEST(WorkCounts, OperationsOfALoaderWithWorkersAreNotKnown) {
  TraceMaker make;
  make.data.collected = {.framework_ops = true};
  make.range(HostKind::user_scope, "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__",
             1, 1, 20);
  make.range(HostKind::op, "aten::mm", 1, 30, 60);
  for (const WorkCount& count : count_work(make.build(), three_steps(), {0, 1, 2}))
    EXPECT_NE(count.name, "loader_ops");
}

TEST(WorkCounts, OneStepInTwentyLiesBeyondThePercentiles) {
  TraceMaker make;
  make.data.collected = {.device_ops = true, .api_calls = true};
  std::vector<std::uint32_t> counted;
  for (std::uint32_t k = 0; k < 20; ++k) {
    counted.push_back(k);
    const std::int64_t begin = std::int64_t{100} * k;
    for (int call = 0; call < (k == 4 ? 9 : 2); ++call)
      make.call("cudaStreamSynchronize", 1, begin + 10 * call, begin + 10 * call + 5);
  }
  const auto counts = count_work(make.build(), steps_of(20), counted);
  const WorkCount waits = count_of(counts, "host_syncs");
  EXPECT_EQ(waits.most_a_step, 9U);
  EXPECT_EQ(waits.p10_a_step, 2U);
  EXPECT_EQ(waits.p90_a_step, 2U);
}

TEST(WorkCounts, CopiesBringTheirBytes) {
  TraceMaker make;
  make.data.collected = {.device_ops = true};
  make.copy(CopyKind::host_to_device, MemoryKind::pinned, MemoryKind::device, 7, 110, 120, 0,
            4'096);
  make.copy(CopyKind::device_to_host, MemoryKind::device, MemoryKind::pinned, 7, 120, 130, 0,
            kUnknownBytes);
  make.copy(CopyKind::peer, MemoryKind::device, MemoryKind::device, 7, 210, 220, 0, 10);
  const auto counts = count_work(make.build(), three_steps(), {1, 2});
  EXPECT_EQ(count_of(counts, "copies_h2d").total, 1U);
  EXPECT_EQ(count_of(counts, "bytes_h2d").total, 4'096U);
  EXPECT_EQ(count_of(counts, "copies_d2h").total, 1U);
  EXPECT_EQ(count_of(counts, "bytes_d2h").total, 0U);
  EXPECT_EQ(count_of(counts, "bytes_d2d").total, 10U);
}

TEST(WorkCounts, WhatWasNotRecordedIsNotZero) {
  TraceMaker make;
  make.range(HostKind::op, "aten::add", 1, 110, 120);
  EXPECT_THAT(count_work(make.build(), three_steps(), {0, 1, 2}), IsEmpty());
  TraceMaker again;
  again.data.collected.framework_ops = true;
  again.range(HostKind::op, "aten::add", 1, 110, 120);
  const auto counts = count_work(again.build(), three_steps(), {0, 1, 2});
  ASSERT_EQ(counts.size(), 1U);
  EXPECT_EQ(counts[0].name, "cpu_ops");
  EXPECT_EQ(counts[0].total, 1U);
}

TEST(WorkCounts, NoCountedStepGivesNone) {
  TraceMaker make;
  make.data.collected = {.device_ops = true};
  EXPECT_THAT(count_work(make.build(), three_steps(), {}), IsEmpty());
}

}  // namespace
}  // namespace stepscope
