// SPDX-License-Identifier: Apache-2.0
#include "core/steps/lost_device_work.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "tests/core/steps/found.hpp"

namespace stepscope {
namespace {

constexpr int kMarked = 10, kKernelsOfStep = 5;

enum class Kept { all, launches, host_ops, most };

// Marked steps of five kernels; `kept` says what is in the trace of each.
Steps steps_that_keep(const std::function<Kept(int)>& kept,
                      SourceKind source = SourceKind::kineto) {
  LoopMaker loop;
  for (int i = 0; i < kMarked; ++i) {
    loop.range("ProfilerStep#" + std::to_string(i), [&] {
      for (int k = 0; k < kKernelsOfStep; ++k) {
        loop.op("aten::mm");
        const bool lost = kept(i) == Kept::launches || (kept(i) == Kept::most && k == 0);
        if (kept(i) == Kept::host_ops) {
          loop.now += 12'000;
        } else if (lost) {
          loop.make.call("cudaLaunchKernel", 1, loop.now, loop.now + LoopMaker::kCall,
                         ++loop.correlation);
          loop.now += LoopMaker::kCall;
        } else {
          loop.kernel("gemm", 10'000);
        }
      }
      loop.wait();
    });
  }
  loop.make.data.source = source;
  return found(loop);
}

std::vector<int> counted_ids(const Steps& steps) {
  std::vector<int> out;
  for (const Step& step : steps.list)
    if (step.steady) out.push_back(static_cast<int>(step.id));
  return out;
}

// The step in which a graph is captured ends with launches that run nothing.
TEST(LostDeviceWork, ACapturedGraphLacksNone) {
  LoopMaker loop;
  loop.range("ProfilerStep#134", [&] {
    loop.kernel("gemm", 10'000);
    loop.make.call("cudaStreamBeginCapture", 1, loop.now, loop.now + LoopMaker::kCall);
    for (int k = 0; k < 50; ++k) {
      loop.now += 2 * LoopMaker::kCall;
      loop.make.call("cudaLaunchKernel", 1, loop.now, loop.now + LoopMaker::kCall,
                     ++loop.correlation);
    }
    loop.now += 2 * LoopMaker::kCall;
    loop.make.call("cudaStreamEndCapture", 1, loop.now, loop.now + LoopMaker::kCall);
    loop.wait();
  });
  loop.make.data.source = SourceKind::kineto;
  const Steps steps = found(loop);
  ASSERT_EQ(steps.list.size(), 1U);
  EXPECT_TRUE(steps.list[0].wall_known);
}

TEST(LostDeviceWork, StepsWithoutItAndTheOneBehindAreNotCounted) {
  for (const Kept lost : {Kept::launches, Kept::host_ops, Kept::most}) {
    const Steps first = steps_that_keep([&](int i) { return i < 4 ? lost : Kept::all; });
    EXPECT_EQ(counted_ids(first), (std::vector<int>{5, 6, 7, 8, 9}));
    EXPECT_EQ(first.without_device_work, 4U);
    const Steps within = steps_that_keep([&](int i) { return i == 5 ? lost : Kept::all; });
    EXPECT_EQ(counted_ids(within), (std::vector<int>{1, 2, 3, 4, 7, 8, 9}));
    const Steps last = steps_that_keep([&](int i) { return i >= 8 ? lost : Kept::all; });
    EXPECT_EQ(counted_ids(last), (std::vector<int>{1, 2, 3, 4, 5, 6, 7}));
  }
}

TEST(LostDeviceWork, WhatAllStepsLackIsUsual) {
  const Steps steps = steps_that_keep([](int) { return Kept::most; });
  EXPECT_EQ(steps.without_device_work, 0U);
  EXPECT_EQ(counted_ids(steps).size(), 9U);
}

// A trace that was cut behind what the host did: the device was still in the first step.
TEST(LostDeviceWork, StepsWithoutAnyAreNotCountedHoweverManyTheyAre) {
  TraceMaker make;
  make.data.source = SourceKind::kineto;
  Steps steps;
  for (std::uint32_t k = 0; k < 4; ++k) {
    const std::int64_t now = 1'000 * k;
    make.call("cudaLaunchKernel", 1, now, now + 10, k + 1);
    if (k == 0) make.kernel("gemm", 7, now + 20, now + 900, k + 1);
    make.call("cudaLaunchKernel", 1, now + 12, now + 15, k + 11);
    if (k == 0) make.kernel("gemm", 7, now + 900, now + 990, k + 11);
    make.call("cudaLaunchKernel", 1, now + 5, now + 8, k + 21);
    if (k < 2) make.kernel("gemm", 7, now + 990, now + 999, k + 21);
    steps.list.push_back({.id = k, .host = {now, now + 1'000}, .window = {now, now + 1'000}});
  }
  set_lost_work_aside(make.build(), steps);
  EXPECT_EQ(counted_ids(steps), std::vector<int>{0});
  EXPECT_EQ(steps.without_device_work, 3U);
}

TEST(LostDeviceWork, ALaunchOfAGraphHasAllOfItsOpsOrIsCut) {
  const auto cut_with = [](const std::vector<int>& ops_of_launches) {
    TraceMaker make;
    std::uint32_t id = 0;
    std::int64_t now = 0;
    for (const int ops : ops_of_launches) {
      make.call("cudaGraphLaunch", 1, now, now + 10, ++id);
      for (int k = 0; k < ops; ++k)
        make.data.device_ops.graph[make.kernel("node", 7, now + 20 + k, now + 21 + k, id)] = 3;
      now += 100;
    }
    return cut_graph_launches(make.build());
  };
  EXPECT_EQ(cut_with({5, 5, 5, 2}), (std::vector<bool>{false, false, false, true}));
  EXPECT_EQ(cut_with({5, 2}), (std::vector<bool>{false, true}));
  EXPECT_EQ(cut_with({5, 4, 3, 2}), std::vector<bool>(4, false)) << "a loop within the graph";
}

TEST(LostDeviceWork, OurOwnRecorderTellsWhatItLost) {
  const Steps steps = steps_that_keep([](int i) { return i < 4 ? Kept::launches : Kept::all; },
                                      SourceKind::stepscope);
  EXPECT_EQ(steps.without_device_work, 0U);
}

}  // namespace
}  // namespace stepscope
