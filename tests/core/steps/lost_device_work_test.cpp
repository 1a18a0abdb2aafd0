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

TEST(LostDeviceWork, OurOwnRecorderTellsWhatItLost) {
  const Steps steps = steps_that_keep([](int i) { return i < 4 ? Kept::launches : Kept::all; },
                                      SourceKind::stepscope);
  EXPECT_EQ(steps.without_device_work, 0U);
}

}  // namespace
}  // namespace stepscope
