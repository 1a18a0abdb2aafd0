// SPDX-License-Identifier: Apache-2.0
// Windows tile the run, hold their own work and nothing of a prefetch.
#include "core/steps/windows.hpp"

#include <gtest/gtest.h>

#include <random>

#include "tests/core/steps/found.hpp"

namespace stepscope {
namespace {

Steps steps_of(const Trace& trace) {
  return found(trace, {.marker_regex = "^step "});
}

std::string step_name(int i) {
  return "step " + std::to_string(i);
}

TEST(Windows, OnAHostThatRunsAheadTheDeviceEndsTheStep) {
  LoopMaker loop;
  std::vector<std::int64_t> device_end;
  for (int i = 0; i < 4; ++i) {
    loop.range(step_name(i), [&] { device_end.push_back(loop.kernel("gemm", 50'000)); });
  }
  const Steps steps = steps_of(loop.build());
  ASSERT_EQ(steps.list.size(), 4U);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(steps.list[k].window.end, device_end[k]);
  EXPECT_EQ(steps.list[2].wall_ns(), 50'000);
  EXPECT_EQ(steps.list[0].window.begin, LoopMaker::kStart);
}

TEST(Windows, OnAHostThatWaitsTheHostEndsTheStep) {
  LoopMaker loop;
  std::vector<std::int64_t> host_end;
  for (int i = 0; i < 4; ++i) {
    loop.range(step_name(i), [&] {
      loop.kernel("gemm", 5'000);
      loop.wait();
      loop.op("log");
    });
    host_end.push_back(loop.now);
  }
  const Steps steps = steps_of(loop.build());
  for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(steps.list[k].window.end, host_end[k]);
}

TEST(Windows, WorkOfOtherThreadsCounts) {
  LoopMaker loop;
  std::int64_t last = 0;
  for (int i = 0; i < 3; ++i) {
    loop.range(step_name(i), [&] {
      loop.kernel("forward", 2'000);
      last = loop.kernel("backward", 90'000, 7, 2);
    });
  }
  EXPECT_EQ(steps_of(loop.build()).list[2].window.end, last);
}

TEST(Windows, APrefetchOnASideStreamDoesNotExtend) {
  LoopMaker loop;
  std::vector<std::int64_t> compute_end;
  for (int i = 0; i < 4; ++i) {
    loop.range(step_name(i), [&] {
      compute_end.push_back(loop.kernel("gemm", 20'000));
      loop.copy(CopyKind::host_to_device, 19'000, 13);
      loop.kernel("cast", 500, 13);
    });
    loop.device[13] = std::max(loop.device[13], loop.device[7] + 5'000);
  }
  const Steps steps = steps_of(loop.build());
  for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(steps.list[k].window.end, compute_end[k]) << k;
}

TEST(Windows, ACopyOnTheMainStreamExtends) {
  LoopMaker loop;
  std::int64_t end = 0;
  for (int i = 0; i < 3; ++i) {
    loop.range(step_name(i), [&] {
      loop.kernel("gemm", 20'000);
      end = loop.copy(CopyKind::device_to_host, 9'000);
    });
  }
  EXPECT_EQ(steps_of(loop.build()).list[2].window.end, end);
}

TEST(Windows, CommunicationOnASideStreamExtends) {
  LoopMaker loop;
  std::int64_t end = 0;
  for (int i = 0; i < 3; ++i) {
    loop.range(step_name(i), [&] {
      loop.kernel("gemm", 20'000);
      end = loop.kernel("ncclDevKernel_AllReduce", 22'000, 21);
    });
  }
  EXPECT_EQ(steps_of(loop.build()).list[2].window.end, end);
}

TEST(Windows, EndsOfAllDevicesCount) {
  LoopMaker loop;
  for (int i = 0; i < 3; ++i) {
    loop.range(step_name(i), [&] { loop.kernel("gemm", 3'000); });
    loop.make.call("cudaLaunchKernel", 1, loop.now - 10, loop.now - 5, ++loop.correlation);
    loop.make.device_op(DeviceOpKind::kernel, "gemm", loop.make.stream(7, 1), loop.now,
                        loop.now + 40'000, loop.correlation);
    loop.now += 50'000;
  }
  const Steps steps = steps_of(loop.build());
  EXPECT_EQ(steps.list[1].window.end - steps.list[1].host.end, 40'000);
}

TEST(Windows, TheFirstBeginsBehindWorkWithoutALaunchRecord) {
  LoopMaker loop;
  loop.make.kernel("earlier", 7, LoopMaker::kStart - 5'000, LoopMaker::kStart + 30'000, 0);
  loop.device[7] = LoopMaker::kStart + 30'000;
  for (int i = 0; i < 3; ++i) loop.range(step_name(i), [&] { loop.kernel("gemm", 50'000); });
  const Steps steps = steps_of(loop.build());
  EXPECT_EQ(steps.list[0].window,
            (Interval{LoopMaker::kStart + 30'000, LoopMaker::kStart + 80'000}));
}

TEST(Windows, WorkLaunchedBeforeTheFirstStepIsNotIts) {
  LoopMaker loop;
  const std::int64_t end = loop.kernel("initialise", 100'000);
  for (int i = 0; i < 3; ++i) loop.range(step_name(i), [&] { loop.kernel("gemm", 50'000); });
  EXPECT_EQ(steps_of(loop.build()).list[0].window, (Interval{end, end + 50'000}));
}

TEST(Windows, AnOpThatLostItsLaunchGoesWithTheOneBeforeIt) {
  LoopMaker loop;
  std::int64_t end = 0;
  for (int i = 0; i < 3; ++i) {
    loop.range(step_name(i), [&] {
      loop.kernel("gemm", 50'000);
      end = loop.kernel("lost", 10'000);
    });
    loop.make.data.device_ops.correlation.back() = 0;
  }
  const Steps steps = steps_of(loop.build());
  EXPECT_EQ(steps.list[2].window.end, end);
  EXPECT_EQ(steps.list[2].wall_ns(), 60'000);
}

TEST(Windows, AStreamWithoutAnyLaunchRecordIsPlacedByItsOwnTimes) {
  LoopMaker loop;
  for (int i = 0; i < 3; ++i) {
    loop.range(step_name(i), [&] {
      loop.kernel("gemm", 10'000);
      loop.wait();
    });
    loop.make.kernel("unlinked", 9, loop.now - 3'000, loop.now - 2'000, 0);
  }
  const Steps steps = steps_of(loop.build());
  EXPECT_EQ(steps.list[0].window.begin, LoopMaker::kStart);
  for (const Step& step : steps.list) EXPECT_EQ(step.window.end, step.host.end);
}

TEST(Windows, MuchWorkLaunchedBeforeTheTraceSaysNothingOfTheRest) {
  LoopMaker loop;
  for (int i = 0; i < 9; ++i)
    loop.make.kernel("earlier", 7, LoopMaker::kStart + i * 10'000,
                     LoopMaker::kStart + i * 10'000 + 9'000, 0);
  loop.device[7] = LoopMaker::kStart + 90'000;
  for (int i = 0; i < 3; ++i) loop.range(step_name(i), [&] { loop.kernel("gemm", 50'000); });
  EXPECT_EQ(steps_of(loop.build()).list[0].window.begin, LoopMaker::kStart + 89'000);
}

// All launches of kernels were lost, and those of copies in the middle of each step were not.
TEST(Windows, AStreamOfFewLaunchRecordsIsPlacedByItsOwnTimes) {
  LoopMaker loop;
  for (int i = 0; i < 3; ++i) {
    loop.range(step_name(i), [&] {
      loop.copy(CopyKind::device_to_host, 2'000);
      for (int k = 0; k < 2; ++k) {
        loop.kernel("lost", 10'000);
        loop.make.data.device_ops.correlation.back() = 0;
      }
      loop.wait();
    });
  }
  const Steps steps = steps_of(loop.build());
  EXPECT_EQ(steps.list[0].window.begin, LoopMaker::kStart);
  for (const Step& step : steps.list) EXPECT_EQ(step.window.end, step.host.end);
}

TEST(Windows, ALastStepWithoutItsDeviceRecordsHasNoWallTime) {
  LoopMaker loop;
  for (int i = 0; i < 4; ++i) loop.range(step_name(i), [&] { loop.kernel("gemm", 9'000); });
  const std::int64_t begin = loop.now;
  loop.kernel("gemm", 9'000);
  loop.make.call("cudaLaunchKernel", 1, loop.now, loop.now + 1'000, 999);
  loop.make.range(HostKind::user_scope, step_name(4), 1, begin, loop.now + 1'500);
  const Steps steps = steps_of(loop.build());
  ASSERT_EQ(steps.list.size(), 5U);
  EXPECT_FALSE(steps.list[4].wall_known);
  EXPECT_FALSE(steps.list[4].steady);
  EXPECT_TRUE(steps.list[3].wall_known);
}

TEST(Windows, LaunchesThatNeverHaveARecordDoNotCutTheLastStep) {
  LoopMaker loop;
  for (int i = 0; i < 4; ++i) {
    loop.range(step_name(i), [&] {
      loop.kernel("gemm", 9'000);
      loop.make.call("cudaLaunchKernel", 1, loop.now, loop.now + 1'000,
                     900U + static_cast<std::uint32_t>(i));
      loop.now += 1'000;
    });
  }
  EXPECT_TRUE(steps_of(loop.build()).list[3].wall_known);
}

TEST(Windows, ADriverCallInsideARuntimeCallIsNoLaunchOfItsOwn) {
  LoopMaker loop;
  for (int i = 0; i < 4; ++i) {
    loop.range(step_name(i), [&] {
      loop.kernel("gemm", 9'000);
      if (i == 3)
        loop.make.call("cuLaunchKernelEx", 1, loop.now - 500, loop.now - 200, loop.correlation);
    });
  }
  EXPECT_TRUE(steps_of(loop.build()).list[3].wall_known);
}

// Random programs: two compute streams, a prefetch stream, two threads, waits, gaps between marks.
LoopMaker random_loop(unsigned seed) {
  std::mt19937 random(seed);
  const auto upto = [&random](int most) {
    return static_cast<int>(random() % static_cast<unsigned>(most + 1));
  };
  LoopMaker loop;
  for (int i = 0; i < upto(20); ++i) loop.kernel("before", upto(9'000));
  for (int i = 0; i < 3 + upto(20); ++i) {
    loop.now += upto(5'000);
    if (upto(3) == 0) loop.kernel("between", upto(9'000));
    loop.range(step_name(i), [&] {
      for (int op = 0; op < 1 + upto(20); ++op) {
        const std::uint32_t stream = upto(4) == 0 ? 9 : 7;
        loop.kernel("k", 1 + upto(20'000), stream, 1 + upto(1));
        if (upto(4) == 0) loop.copy(CopyKind::host_to_device, upto(90'000), 13, 3);
        if (upto(15) == 0) loop.wait();
      }
    });
  }
  loop.now += 1'000;
  return loop;
}

// The device op's step by the definition in windows.hpp, written down plainly.
int step_of_time(const Steps& steps, std::int64_t time) {
  if (time < steps.list[0].host.begin) return -1;
  for (std::size_t k = 0; k < steps.list.size(); ++k) {
    if (time < steps.list[k].host.end) return static_cast<int>(k);
  }
  return static_cast<int>(steps.list.size());
}

TEST(WindowsProperty, TileTheRunAndHoldTheirOwnWork) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    const Trace trace = random_loop(seed).build();
    const Steps steps = steps_of(trace);
    std::int64_t sum = 0;
    for (std::size_t k = 0; k < steps.list.size(); ++k) {
      const Interval window = steps.list[k].window;
      EXPECT_LE(window.begin, window.end) << seed;
      if (k > 0) {
        EXPECT_EQ(window.begin, steps.list[k - 1].window.end) << seed;
      }
      EXPECT_GE(window.end, steps.list[k].host.end) << seed;
      sum += steps.list[k].wall_ns();
    }
    EXPECT_EQ(sum, steps.list.back().window.end - steps.list.front().window.begin) << seed;
    const std::vector<StreamRole> roles = stream_roles(trace);
    std::vector<std::int64_t> own(steps.list.size(), 0);  // without side streams
    std::vector<std::int64_t> end(steps.list.size(), 0);
    for (const bool side : {false, true}) {
      for (std::size_t k = 0; k < own.size(); ++k)
        own[k] = std::max({k == 0 ? 0 : own[k - 1], steps.list[k].host.end, end[k]});
      for (DeviceOpId op = 0; op < trace.device_ops().size(); ++op) {
        const RangeId call = trace.calls().range[trace.launch_of(op)];
        const int step = step_of_time(steps, trace.host_ranges().begin[call]);
        const bool prefetch = trace.data().streams[trace.device_ops().stream[op]].stream == 13;
        if (step < 0 || step >= static_cast<int>(end.size()) || prefetch) continue;
        const auto k = static_cast<std::size_t>(step);
        if (side != (roles[trace.device_ops().stream[op]] == StreamRole::side)) continue;
        if (side && k + 1 < own.size() && trace.device_ops().end[op] > own[k + 1]) continue;
        end[k] = std::max(end[k], trace.device_ops().end[op]);
        EXPECT_LE(trace.device_ops().end[op], steps.list[k].window.end) << seed;
      }
    }
    // No end without a reason: each is the host's, the device's or the one before.
    for (std::size_t k = 0; k < end.size(); ++k) {
      const std::int64_t before = k == 0 ? 0 : steps.list[k - 1].window.end;
      EXPECT_EQ(steps.list[k].window.end, std::max({before, steps.list[k].host.end, end[k]}))
          << seed;
    }
  }
}

}  // namespace
}  // namespace stepscope
