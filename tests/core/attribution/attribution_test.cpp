// SPDX-License-Identifier: Apache-2.0
// attribute() as a whole on hand-made traces. The many cases of docs/design/attribution.md stand as
// text in tests/cases/attribution; here are the ones about its interfaces and about exactness.
#include "core/attribution/attribution.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "core/attribution/places/call_sites.hpp"
#include "tests/core/model/trace_maker.hpp"

namespace stepscope {
namespace {

Steps one_window(Interval window) {
  Steps steps;
  steps.found_by = FoundBy::user_marker;
  steps.list.push_back({.id = 0, .host = window, .window = window});
  return steps;
}

std::map<Cause, std::int64_t> parts(const Partition& partition) {
  std::map<Cause, std::int64_t> sums;
  for (const Cell& cell : partition.cells) sums[cell.cause] += cell.ns;
  return sums;
}

Attribution attribute_window(TraceMaker& make, Interval window) {
  auto result = attribute(make.build(), one_window(window));
  EXPECT_TRUE(result.ok());
  return std::move(result).value();
}

TEST(Attribution, ABusyDeviceOwnsItsTimeAndTheHostTheRest) {
  TraceMaker make;
  make.range(HostKind::python_function, "train.py(3): step", 1, 0, 1000);
  make.call("cudaLaunchKernel", 1, 100, 110, 1);
  make.kernel("gemm_kernel", 7, 112, 500, 1);
  const Attribution a = attribute_window(make, {0, 1000});
  const std::map<Cause, std::int64_t> expected = {{Cause::host_python, 100 + 500},
                                                  {Cause::host_launch_api, 10},
                                                  {Cause::launch_latency, 2},
                                                  {Cause::gpu_gemm, 388}};
  EXPECT_EQ(parts(a.process), expected);
  EXPECT_TRUE(a.broken_invariants.empty());
  EXPECT_EQ(a.edges.launch_latency_ns, 2);
}

TEST(Attribution, AQueuedSuccessorIsADispatchGapAndNotTheHosts) {
  TraceMaker make;
  make.call("cudaLaunchKernel", 1, 0, 10, 1);
  make.call("cudaLaunchKernel", 1, 20, 30, 2);
  make.kernel("a", 7, 12, 500, 1);
  make.kernel("b", 7, 501, 600, 2);
  const Attribution a = attribute_window(make, {12, 600});
  EXPECT_EQ(parts(a.process).at(Cause::gpu_dispatch_gap), 1);
  EXPECT_EQ(a.process.queued_idle_ns, 1);
  EXPECT_EQ(a.process.queued_busy_ns, 488);
}

TEST(Attribution, AWaitIsAnEdgeAndOnlyItsReturnCosts) {
  TraceMaker make;
  make.range(HostKind::python_function, "train.py(3): step", 1, 0, 2000);
  make.call("cudaLaunchKernel", 1, 100, 110, 1);
  make.kernel("a", 7, 112, 900, 1);
  make.call("cudaStreamSynchronize", 1, 120, 915, 2);
  make.call("cudaLaunchKernel", 1, 1000, 1010, 3);
  make.kernel("b", 7, 1012, 1500, 3);
  const auto sums = parts(attribute_window(make, {112, 1500}).process);
  EXPECT_EQ(sums.at(Cause::host_sync_return), 15);
  EXPECT_EQ(sums.at(Cause::host_python), 85);
  EXPECT_EQ(sums.at(Cause::gpu_other), 788 + 488);
}

TEST(Attribution, WorkOfAutogradThreadsIsReachedThroughTheHandOff) {
  TraceMaker make;
  make.range(HostKind::python_function, "train.py(3): step", 1, 0, 5000);
  make.range(HostKind::user_scope, "backward", 1, 1000, 3000);
  make.range(HostKind::op, "aten::loss", 1, 900, 950);
  make.range(HostKind::python_function, "<built-in method run_backward of torch>", 1, 1100, 2900);
  make.thread(2, "pt_autograd_0");
  make.range(HostKind::backward_node, "MulBackward0", 2, 1200, 1500);
  make.call("cudaLaunchKernel", 2, 1300, 1310, 1);
  make.kernel("b", 7, 1312, 1320, 1);
  make.range(HostKind::backward_node, "AddBackward0", 2, 1600, 2800);
  make.call("cudaLaunchKernel", 2, 2700, 2710, 2);
  make.kernel("c", 7, 2712, 2720, 2);
  make.call("cudaLaunchKernel", 1, 4000, 4010, 3);
  make.kernel("d", 7, 4012, 4100, 3);
  const Trace trace = make.build();
  const auto result = attribute(trace, one_window({1312, 4100}));
  ASSERT_TRUE(result.ok());
  const auto sums = parts(result->process);
  // 1320..1500 and 1600..2700 in nodes, 1500..1600 between them, 2800..2900 engine, 2720..2800 in a
  // node.
  EXPECT_EQ(sums.at(Cause::host_framework), 180 + 100 + 1100 + 80 + 100);
  EXPECT_EQ(sums.at(Cause::host_python), 4000 - 2900);
  std::int64_t in_backward = 0;
  for (const Cell& cell : result->process.cells) {
    if (result->phases[cell.phase].name == "backward") in_backward += cell.ns;
  }
  EXPECT_EQ(in_backward, 3000 - 1312);
}

TEST(Attribution, WithoutADeviceTheLoopsThreadOwnsEverything) {
  TraceMaker make;
  make.range(HostKind::op, "aten::addmm", 1, 100, 400);
  make.range(HostKind::op, "aten::view", 1, 450, 500);
  make.range(HostKind::op, "aten::sum", 2, 0, 1000);  // another thread's work runs in parallel
  const std::map<Cause, std::int64_t> expected = {{Cause::host_compute_gemm, 300},
                                                  {Cause::host_between_calls, 50},
                                                  {Cause::host_framework, 50}};
  EXPECT_EQ(parts(attribute_window(make, {100, 500}).process), expected);
}

TEST(Attribution, WhereADeviceWasUsedUnseenNoOpIsCalledCompute) {
  TraceMaker make;
  make.data.processes[0].facts["cuda"] = "initialised";
  make.data.collected.framework_ops = true;
  make.range(HostKind::op, "aten::mm", 1, 0, 100);
  make.range(HostKind::op, "aten::add", 1, 120, 200);
  const std::map<Cause, std::int64_t> expected = {{Cause::host_framework, 180},
                                                  {Cause::host_between_calls, 20}};
  EXPECT_EQ(parts(attribute_window(make, {0, 200}).process), expected);
}

// What DDP on Gloo does on a machine with a GPU: it asks CUDA for its devices.
TEST(Attribution, ACudaThatLaunchedNothingWhileItWasRecordedWasNotUsed) {
  TraceMaker make;
  make.data.processes[0].facts["cuda"] = "initialised";
  make.data.collected.framework_ops = true;
  make.data.collected.device_ops = make.data.collected.api_calls = true;
  make.range(HostKind::op, "aten::mm", 1, 0, 100);
  const std::map<Cause, std::int64_t> expected = {{Cause::host_compute_gemm, 100}};
  EXPECT_EQ(parts(attribute_window(make, {0, 100}).process), expected);
}

// Backward nodes and user scopes alone: between the last node of one step and the first of the next
// nothing was recorded, so nothing is claimed.
TEST(Attribution, ALongSilenceBetweenNodesIsNotTheEngine) {
  TraceMaker make;
  make.data.processes[0].facts["cuda"] = "initialised";
  make.thread(1, "main");
  make.thread(2, "pt_autograd_0");
  make.range(HostKind::user_scope, "forward", 1, 0, 4'000'000);
  make.range(HostKind::backward_node, "AddBackward0", 2, 5'000'000, 5'400'000);
  make.range(HostKind::backward_node, "MulBackward0", 2, 5'500'000, 6'000'000);
  make.range(HostKind::backward_node, "AddBackward0", 2, 15'000'000, 15'500'000);
  const auto sums = parts(attribute_window(make, {0, 16'000'000}).process);
  EXPECT_EQ(sums.at(Cause::host_framework), 400'000 + 100'000 + 500'000 + 500'000);
  EXPECT_EQ(sums.at(Cause::host_other), 14'500'000);
}

TEST(Attribution, EachOfSeveralDevicesHasItsOwnPartition) {
  TraceMaker make;
  make.call("cudaLaunchKernel", 1, 0, 10, 1);
  make.call("cudaLaunchKernel", 1, 10, 20, 2);
  make.device_op(DeviceOpKind::kernel, "a", make.stream(7, 0), 30, 130, 1);
  make.device_op(DeviceOpKind::kernel, "b", make.stream(7, 1), 80, 230, 2);
  const Attribution a = attribute_window(make, {30, 230});
  ASSERT_EQ(a.devices.size(), 2U);
  EXPECT_EQ(parts(a.process).at(Cause::gpu_other), 200);
  EXPECT_EQ(parts(a.devices[0]).at(Cause::gpu_other), 100);
  EXPECT_EQ(parts(a.devices[1]).at(Cause::gpu_other), 150);
}

TEST(Attribution, BadPhasePatternIsAUsageError) {
  TraceMaker make;
  make.range(HostKind::op, "aten::add", 1, 0, 10);
  const auto result = attribute(make.build(), one_window({0, 10}), {.phase_regex = "("});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::usage);
  EXPECT_NE(result.error().message.find("--phase"), std::string::npos);
}

// Nonsense in any combination: the parts still sum to the wall and the device's to its busy union.
TEST(Attribution, PartsSumExactlyForRandomTraces) {
  constexpr std::string_view kCalls[] = {
      "cudaLaunchKernel", "cudaMemcpyAsync", "cudaStreamSynchronize",
      "cudaMalloc",       "cudaGraphLaunch", "cudaDeviceSynchronize",
      "cudaMemcpy"};
  std::mt19937_64 random(5);
  const auto below = [&random](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
  for (int round = 0; round < 500; ++round) {
    TraceMaker make;
    make.thread(1, "main");
    make.thread(2, "pt_autograd_0");
    for (std::uint32_t i = 1; i < 40; ++i) {
      const std::int64_t begin = below(1000);
      const std::int64_t tid = 1 + below(3);
      make.call(kCalls[random() % std::size(kCalls)], tid, begin, begin + below(60), i);
      const auto kind = static_cast<HostKind>(random() % 12);
      if (kind != HostKind::runtime_call && kind != HostKind::driver_call) {
        make.range(kind, "r", tid, below(1000), 1000 - below(1000));
      }
      const auto device = static_cast<std::uint32_t>(random() % 2);
      const std::int64_t on = below(1000);
      make.device_op(static_cast<DeviceOpKind>(random() % 5), "k",
                     make.stream(static_cast<std::uint32_t>(random() % 3), device), 1 + on,
                     1 + on + below(80), static_cast<std::uint32_t>(below(45)));
    }
    Steps steps = one_window({below(200), 400});
    steps.list.push_back({.id = 1, .window = {400, 400 + below(500)}});
    const auto result = attribute(make.build(), steps);
    ASSERT_TRUE(result.ok());
    EXPECT_THAT(result->broken_invariants, testing::IsEmpty()) << "round " << round;
  }
}

TEST(Attribution, ATraceOfDeviceWorkAloneHasGapsThatNobodyExplains) {
  TraceMaker make;
  make.kernel("gemm_kernel", 7, 1'000, 31'000, 0);
  make.kernel("gemm_kernel", 7, 91'000, 101'000, 0);
  const Attribution a = attribute_window(make, {1'000, 101'000});
  EXPECT_EQ(parts(a.process).at(Cause::gpu_gemm), 40'000);
  EXPECT_EQ(parts(a.process).at(Cause::unknown), 50'000);
  EXPECT_TRUE(a.broken_invariants.empty());
}

// std::regex recurses by the length of the text.
TEST(Attribution, ANameAsLongAsABookIsAPhaseLikeAnother) {
  TraceMaker make;
  make.range(HostKind::user_scope, "step " + std::string(200'000, '_'), 1, 0, 100);
  make.range(HostKind::user_scope, std::string(200'000, 'x') + "foo", 1, 200, 300);
  const Trace trace = make.build();
  EXPECT_TRUE(attribute(trace, one_window({0, 300})).ok());
  EXPECT_TRUE(attribute(trace, one_window({0, 300}), {.phase_regex = ".*foo"}).ok());
}

TEST(Attribution, WhatAnAutogradThreadEntersIsInsideItsCallersPhase) {
  TraceMaker make;
  make.thread(1, "main");
  make.range(HostKind::user_scope, "backward", 1, 0, 100);
  make.range(HostKind::backward_node, "MmBackward0", 2, 10, 90);
  make.range(HostKind::user_scope, "hook", 2, 20, 40);
  make.range(HostKind::user_scope, "hook", 2, 120, 140);
  const Attribution a = attribute_window(make, {0, 200});
  std::vector<std::string> entered;
  for (const PhaseVisit& visit : a.visits) {
    const Phase& phase = a.phases[visit.phase];
    entered.push_back(a.phases[phase.parent].name + "/" + phase.name);
  }
  EXPECT_THAT(entered, testing::ElementsAre("/backward", "backward/hook", "/hook"));
}

TEST(Attribution, RangesThatAreNeverClosedEndInAPathOfBoundedDepth) {
  TraceMaker make;
  for (int i = 0; i < 3'000; ++i)
    make.range(HostKind::user_scope, "leak" + std::to_string(i), 1, i, 10'000);
  const Attribution a = attribute_window(make, {0, 10'000});
  EXPECT_LE(a.phases.size(), 66U);  // 64, none, and "forward"
}

// Hugging Face's package and many a program's own folder have one name.
TEST(UserCode, AFolderDatasetsIsTheUsersButForThePackagesFiles) {
  EXPECT_TRUE(is_user_file("datasets/coco.py"));
  EXPECT_FALSE(is_user_file("datasets/arrow_dataset.py"));
  EXPECT_FALSE(is_user_file("datasets/formatting/formatting.py"));
  EXPECT_FALSE(is_user_file("torch/nn/modules/module.py"));
  for (const char* library : {"/usr/lib/python3.11/queue.py", "/opt/lib/python3.13t/queue.py",
                              "python3.11/threading.py", "/usr/lib/python311.zip/os.py"})
    EXPECT_FALSE(is_user_file(library)) << library;
  for (const char* own : {"/home/me/lib/python_trainers/train.py", "/home/me/python3.11-demo/a.py",
                          "/home/me/python3/train.py"})
    EXPECT_TRUE(is_user_file(own)) << own;
}

}  // namespace
}  // namespace stepscope
