// SPDX-License-Identifier: Apache-2.0
// Replay and edits on graphs made by hand: what each number must be follows from the rules alone.
#include <gtest/gtest.h>

#include "tests/core/simulate/graph_maker.hpp"

namespace stepscope {
namespace {

// 20 + 5 us of host, 2 us of latency, 30 us of kernel, 7 us of return; nothing overlaps.
TEST(Replay, AWaitPutsHostAndDeviceInARow) {
  GraphMaker make;
  make.work(20 * kUs);
  make.launch(30 * kUs);
  make.sync();
  make.end_step();
  EXPECT_DOUBLE_EQ(replay(make.graph).ns(), 64 * kUs);
  const Edited edited = apply(make.graph, {.kind = FixKind::remove_sync});
  EXPECT_EQ(edited.touched, 1U);
  EXPECT_DOUBLE_EQ(edited.ns(), 31 * kUs)
      << "the kernel and its dispatch: the device is the longer";
  EXPECT_DOUBLE_EQ(replay(edited.graph).busy_ns, 30 * kUs);
}

TEST(Replay, AFullQueueHoldsTheHost) {
  GraphMaker make;
  for (int i = 0; i < 50; ++i) make.launch(30 * kUs);
  make.graph.queue_depth = 4;
  make.end_step();
  EXPECT_DOUBLE_EQ(replay(make.graph).ns(), 50 * 31 * kUs);
  make.work(400 * kUs);  // the host cannot run ahead far enough to hide this
  make.graph.steps.back().end_task += 1;
  EXPECT_GT(replay(make.graph).ns(), (50 * 31 + 200) * kUs);
  make.graph.queue_depth = 1022;
  EXPECT_DOUBLE_EQ(replay(make.graph).ns(), 50 * 31 * kUs);
}

TEST(Edits, ARemovedWaitTakesItsReadWithItAndNotOthers) {
  GraphMaker make;
  make.launch(30 * kUs);
  HostTask& read = make.launch(2 * kUs, Cause::copy_d2h);
  read.api = ApiKind::memcpy_async;
  make.graph.device.back().copy = CopyKind::device_to_host;
  make.sync();
  make.launch(30 * kUs);
  make.end_step();
  const Edited edited = apply(make.graph, {.kind = FixKind::remove_sync});
  EXPECT_FALSE(edited.graph.device[0].dropped);
  EXPECT_TRUE(edited.graph.device[1].dropped);
  EXPECT_FALSE(edited.graph.device[2].dropped);
  EXPECT_DOUBLE_EQ(edited.ns(), 62 * kUs);
}

TEST(Edits, OneInNWaitsMayStay) {
  GraphMaker make;
  for (int step = 0; step < 4; ++step) {
    make.launch(30 * kUs);
    make.sync();
    make.end_step();
  }
  EXPECT_EQ(apply(make.graph, {.kind = FixKind::remove_sync, .every = 4}).touched, 3U);
}

TEST(Edits, APhaseHoldsThoseInsideIt) {
  GraphMaker make;
  make.work(10 * kUs);
  make.work(20 * kUs, 1);
  make.work(40 * kUs, 2);
  make.end_step();
  EXPECT_DOUBLE_EQ(apply(make.graph, in_phase(FixKind::drop_work, 1)).ns(), 10 * kUs);
  EXPECT_DOUBLE_EQ(apply(make.graph, in_phase(FixKind::drop_work, 2)).ns(), 30 * kUs);
  EXPECT_DOUBLE_EQ(apply(make.graph, in_phase(FixKind::hoist_invariant, 2)).ns(), 30 * kUs);
}

// A stack of what was copied piece by piece: its kernel, and the way to it, go with the pieces.
TEST(Edits, OneCopyInPlaceOfManyNeedsNoJoin) {
  const auto host_ns = [](bool joins) {
    GraphMaker make;
    for (int i = 0; i < 10; ++i) {
      make.work(20 * kUs);
      make.launch(2 * kUs, Cause::copy_h2d_pinned).api = ApiKind::memcpy_async;
      make.graph.device.back().copy = CopyKind::host_to_device;
    }
    make.work(100 * kUs);
    make.launch(3 * kUs, Cause::gpu_elementwise);
    make.graph.device.back().joins = joins;
    make.work(40 * kUs);
    make.launch(30 * kUs);
    make.end_step();
    const Edited edited = apply(make.graph, {.kind = FixKind::merge_copies});
    EXPECT_EQ(edited.graph.device[10].dropped, joins);
    EXPECT_FALSE(edited.graph.device[11].dropped);
    double host = 0;
    for (const HostTask& task : edited.graph.host) host += task.ns;
    return host;
  };
  EXPECT_NEAR(host_ns(false), (20 * 0.05 * 10 + 5 + 100 + 5 + 40 + 5) * kUs, 20 * kUs);
  EXPECT_NEAR(host_ns(false) - host_ns(true), (100 * 0.95 + 5) * kUs, 1);
}

// Operations behind a sleep of 6 ms take longer than without it.
TEST(Edits, WhatFollowsAPauseThatGoesRunsFaster) {
  const auto rest_ns = [](double pause_us, Luck luck) {
    GraphMaker make;
    HostTask& pause = make.work(pause_us * kUs, 0, Cause::host_off_cpu);
    pause.begin = 0, pause.end = 10;
    HostTask& rest = make.work(4000 * kUs);
    rest.begin = 10, rest.end = 20;
    make.end_step();
    Fix fix{.kind = FixKind::drop_work};
    fix.scope.host_times = {{0, 10}};
    return apply(make.graph, fix, luck).graph.host[1].ns / kUs;
  };
  EXPECT_DOUBLE_EQ(rest_ns(6000, Luck::expected), 3200);
  EXPECT_DOUBLE_EQ(rest_ns(6000, Luck::good), 2200);
  EXPECT_DOUBLE_EQ(rest_ns(6000, Luck::bad), 4000);
  EXPECT_DOUBLE_EQ(rest_ns(1000, Luck::expected), 4000) << "too short to matter";
}

TEST(Edits, ASleepThatGoesLeavesNothingBehind) {
  const auto stays_ns = [](Cause cause) {
    GraphMaker make;
    HostTask& gap = make.work(1000 * kUs, 0, cause);
    gap.begin = 0, gap.end = 10;
    make.end_step();
    Fix fix{.kind = FixKind::drop_work};
    fix.scope.host_times = {{0, 10}};
    return apply(make.graph, fix).graph.host[0].ns;
  };
  EXPECT_DOUBLE_EQ(stays_ns(Cause::host_off_cpu), 0);
  EXPECT_DOUBLE_EQ(stays_ns(Cause::host_python), 30 * kUs);
}

TEST(Edits, LessOftenKeepsWholeVisitsWhereThereAreEnough) {
  GraphMaker make;
  for (int step = 0; step < 4; ++step) {
    make.work(10 * kUs);
    make.work(30 * kUs, 1);
    make.end_step();
  }
  Fix fix = in_phase(FixKind::less_often, 1);
  fix.every = 2;
  EXPECT_DOUBLE_EQ(apply(make.graph, fix).ns(), (4 * 10 + 2 * 30) * kUs);
  fix.every = 10;
  const Edited few = apply(make.graph, fix);
  EXPECT_DOUBLE_EQ(few.ns(), (4 * 10 + 4 * 3) * kUs);
  EXPECT_FALSE(few.assumptions.empty()) << "shares of visits are said";
}

// Which runs of a phase are left out does not decide what that gives.
TEST(Edits, LessOftenKeepsItsShareOfUnevenVisits) {
  GraphMaker make;
  for (const double us : {90, 10, 10, 10}) {
    make.work(us * kUs, 1);
    make.end_step();
  }
  Fix fix = in_phase(FixKind::less_often, 1);
  fix.every = 2;
  EXPECT_DOUBLE_EQ(apply(make.graph, fix).ns(), 60 * kUs) << "half of 120, not the first and third";
  EXPECT_DOUBLE_EQ(apply(make.graph, fix, Luck::good).ns(), 20 * kUs);
  EXPECT_DOUBLE_EQ(apply(make.graph, fix, Luck::bad).ns(), 100 * kUs);
}

TEST(Edits, LessOftenLoadsCodeOnceAllTheSame) {
  GraphMaker make;
  for (int step = 0; step < 4; ++step) {
    if (step == 0) make.work(500 * kUs, 1, Cause::host_module_load);
    make.work(10 * kUs, 1);
    make.end_step();
  }
  Fix fix = in_phase(FixKind::less_often, 1);
  fix.every = 2;
  EXPECT_DOUBLE_EQ(apply(make.graph, fix).ns(), 520 * kUs);
}

TEST(Edits, ScaledWorkIsThatOfItsCause) {
  GraphMaker make;
  make.launch(100 * kUs);
  make.launch(100 * kUs, Cause::gpu_reduce);
  make.end_step();
  Fix fix{.kind = FixKind::scale_work, .factor = 0.5, .factor_low = 0.25, .factor_high = 1};
  fix.scope.cause = Cause::gpu_gemm;
  EXPECT_DOUBLE_EQ(apply(make.graph, fix).ns(), 152 * kUs);
  EXPECT_DOUBLE_EQ(apply(make.graph, fix, Luck::good).ns(), 127 * kUs);
  EXPECT_DOUBLE_EQ(apply(make.graph, fix, Luck::bad).ns(), 202 * kUs);
}

TEST(Edits, AFusedOptimizerLeavesFourKernels) {
  GraphMaker make;
  make.launch(50 * kUs);
  for (int i = 0; i < 100; ++i) {
    make.work(10 * kUs, 1);
    make.launch(3 * kUs, Cause::gpu_optimizer, 1);
  }
  make.end_step();
  const Edited edited = apply(make.graph, {.kind = FixKind::fuse_optimizer});
  std::size_t kernels = 0;
  double device = 0;
  for (const DeviceTask& op : edited.graph.device) {
    if (op.dropped || op.cause != Cause::gpu_optimizer) continue;
    ++kernels;
    device += op.ns;
  }
  EXPECT_EQ(kernels, 4U);
  EXPECT_NEAR(device, (4 * 2 + 0.4 * 100 * (3 - 1.5)) * kUs, 1);
  EXPECT_LT(edited.ns(), 250 * kUs);
  EXPECT_GT(edited.ns(), 150 * kUs) << "a fused step has a cost of its own";
  EXPECT_EQ(edited.assumptions.size(), 2U);
}

TEST(Edits, AGraphEndsWhereTheHostWaits) {
  GraphMaker make;
  for (int i = 0; i < 10; ++i) {
    make.work(20 * kUs);
    make.launch(5 * kUs);
  }
  make.sync();
  make.work(30 * kUs);
  make.end_step();
  const Edited edited = apply(make.graph, {.kind = FixKind::capture_graph});
  EXPECT_EQ(edited.touched, 10U);
  double host = 0;
  for (const HostTask& task : edited.graph.host) host += task.ns;
  EXPECT_NEAR(host, (10 + 10 * 0.06 + 1 + 30) * kUs, 1) << "one launch, the wait, what follows it";
  EXPECT_TRUE(apply(make.graph, in_phase(FixKind::capture_graph, 1)).touched == 0);
}

TEST(Edits, AGraphTakesNoWorkOfTheHostsOwn) {
  GraphMaker make;
  for (int i = 0; i < 3; ++i) make.launch(5 * kUs);
  make.work(1000 * kUs);
  for (int i = 0; i < 3; ++i) make.launch(5 * kUs);
  make.end_step();
  const Edited edited = apply(make.graph, {.kind = FixKind::capture_graph});
  EXPECT_DOUBLE_EQ(edited.graph.host[3].ns, 1000 * kUs);
  EXPECT_EQ(edited.touched, 6U) << "one graph before it, one behind";
}

TEST(Edits, TransfersRunBesideComputeUntilTheOptimizer) {
  GraphMaker make;
  make.launch(100 * kUs);
  make.launch(80 * kUs, Cause::comm_transfer);
  make.launch(100 * kUs);
  make.launch(10 * kUs, Cause::gpu_optimizer);
  make.end_step();
  EXPECT_DOUBLE_EQ(replay(make.graph).ns(), 294 * kUs);
  const Edited edited = apply(make.graph, {.kind = FixKind::overlap_transfer}, Luck::good);
  EXPECT_DOUBLE_EQ(edited.ns(), 213 * kUs);
  make.graph.device[1].ns = 500 * kUs;
  const Edited longer = apply(make.graph, {.kind = FixKind::overlap_transfer}, Luck::good);
  EXPECT_DOUBLE_EQ(longer.ns(), (1 + 100 + 1 + 500 + 1 + 10) * kUs) << "the optimizer waits for it";
}

// Gradients come one after another: the transfer need not wait for the last of them.
TEST(Edits, ATransferOfItsOwnStreamStartsBeforeItsLastInput) {
  GraphMaker make;
  make.graph.streams = 2;
  for (int i = 0; i < 4; ++i) make.launch(100 * kUs);
  make.launch(200 * kUs, Cause::comm_transfer, 0, 1);
  make.graph.awaited = {3};
  make.graph.device[4].awaited_count = 1;
  make.launch(10 * kUs, Cause::gpu_optimizer);
  make.graph.awaited.push_back(4);
  make.graph.device[5].first_awaited = make.graph.device[5].awaited_count = 1;
  make.end_step();
  const double late = replay(make.graph).ns();
  const Fix fix{.kind = FixKind::overlap_transfer};
  EXPECT_NEAR(late - apply(make.graph, fix, Luck::good).ns(), 101 * kUs, 1) << "one op early";
  EXPECT_LT(apply(make.graph, fix).ns(), late);
}

// The upload of 60 us stands before the kernel of 100 us; a step ahead it runs beside the one of
// the step before, and only an upload that is longer than all else is waited for.
TEST(Edits, UploadsRunAStepAhead) {
  GraphMaker make;
  for (DeviceOpId step = 0; step < 3; ++step) {
    make.launch(60 * kUs, Cause::copy_h2d_pinned);
    make.graph.device.back().copy = CopyKind::host_to_device;
    make.graph.device.back().op = 2 * step;
    make.launch(100 * kUs);
    make.graph.device.back().op = 2 * step + 1;
    make.end_step();
  }
  Fix fix{.kind = FixKind::overlap_transfer};
  fix.scope.ops = {0, 2, 4};
  EXPECT_DOUBLE_EQ(replay(make.graph).ns(), 3 * 162 * kUs);
  const Edited edited = apply(make.graph, fix, Luck::good);
  EXPECT_EQ(edited.touched, 3U);
  EXPECT_DOUBLE_EQ(edited.ns(), 3 * 101 * kUs);
  for (const std::size_t upload : {0U, 2U, 4U}) make.graph.device[upload].ns = 400 * kUs;
  EXPECT_DOUBLE_EQ(apply(make.graph, fix, Luck::good).ns(), 3 * 401 * kUs)
      << "the link is the limit";
  EXPECT_EQ(apply(make.graph, {.kind = FixKind::overlap_transfer}).touched, 0U)
      << "without a scope it is about communication";
}

// The kernel of the other stream awaited this step's upload; now it awaits that of the step before.
TEST(Edits, WhatAwaitedAnUploadAwaitsTheOneBefore) {
  GraphMaker make;
  make.graph.streams = 2;
  for (std::uint32_t step = 0; step < 2; ++step) {
    make.launch(60 * kUs, Cause::copy_h2d_pinned, 0, 1);
    make.graph.device.back().copy = CopyKind::host_to_device;
    make.graph.device.back().op = 2 * step;
    make.launch(100 * kUs);
    make.graph.device.back().op = 2 * step + 1;
    make.graph.device.back().first_awaited = step;
    make.graph.device.back().awaited_count = 1;
    make.graph.awaited.push_back(2 * step);
    make.end_step();
  }
  Fix fix{.kind = FixKind::overlap_transfer};
  fix.scope.ops = {0, 2};
  const TaskGraph graph = apply(make.graph, fix).graph;
  EXPECT_EQ(graph.awaited_by(graph.device[3])[0], 0U);
  EXPECT_EQ(graph.awaited_by(graph.device[1])[0], 2U) << "in a run of many steps";
}

TEST(Edits, RepeatsBecomeOneBatch) {
  GraphMaker make;
  for (int i = 0; i < 8; ++i) {
    make.work(20 * kUs, 1);
    make.launch(10 * kUs, Cause::gpu_gemm, 1);
  }
  make.end_step();
  Fix fix = in_phase(FixKind::batch_repeats, 1);
  fix.every = 4;
  const Edited edited = apply(make.graph, fix);
  EXPECT_NEAR(edited.ns(), 2 * 25 * kUs, 1) << "two of eight stay";
  EXPECT_DOUBLE_EQ(edited.graph.device[0].ns, 13 * kUs) << "1.3 times as long";
  EXPECT_EQ(edited.touched, 16U);
}

// The gradients of eight samples run in phase 0; their forward ran in phase 1.
TEST(Edits, GradientsOfAPhaseGoWithIt) {
  GraphMaker make;
  make.work(20 * kUs, 1);
  make.launch(10 * kUs, Cause::gpu_gemm, 1);
  for (int i = 0; i < 8; ++i) {
    make.launch(10 * kUs);
    make.graph.host.back().forward_phase = make.graph.device.back().forward_phase = 1;
  }
  make.launch(10 * kUs);
  make.end_step();
  EXPECT_EQ(apply(make.graph, in_phase(FixKind::drop_work, 1)).touched, 10U);
  Fix often = in_phase(FixKind::batch_repeats, 1);
  often.every = 4;
  const TaskGraph graph = apply(make.graph, often).graph;
  std::vector<bool> dropped;
  for (const DeviceTask& op : graph.device) dropped.push_back(op.dropped);
  const std::vector<bool> expected = {false, false, false, true, true,
                                      true,  true,  true,  true, false};
  EXPECT_EQ(dropped, expected) << "of each pass a quarter stays";
}

TEST(Edits, AChainFusedTakesAsLongAsItsLongestKernel) {
  GraphMaker make;
  const double takes[] = {40, 10, 30, 20, 50};
  for (DeviceOpId op = 0; op < 5; ++op) {
    make.work(20 * kUs);
    make.launch(takes[op] * kUs);
    make.graph.device.back().op = op;
  }
  make.end_step();
  Fix fix{.kind = FixKind::fuse_work, .factor = 0, .factor_low = 0, .factor_high = 0};
  fix.scope.ops = {1, 2, 3};
  EXPECT_DOUBLE_EQ(apply(make.graph, fix).graph.device[1].ns, 30 * kUs);
  EXPECT_DOUBLE_EQ(apply(make.graph, fix, Luck::good).graph.device[1].ns, 15 * kUs);
  EXPECT_DOUBLE_EQ(apply(make.graph, fix, Luck::bad).graph.device[1].ns, 45 * kUs);
  EXPECT_TRUE(apply(make.graph, fix).graph.device[2].dropped);
}

TEST(Edits, FusedWorkIsLaunchedOnce) {
  GraphMaker make;
  for (DeviceOpId op = 0; op < 5; ++op) {
    make.work(20 * kUs);
    make.launch(10 * kUs);
    make.graph.device.back().op = op;
  }
  make.end_step();
  Fix fix{.kind = FixKind::fuse_work, .factor = 0.5, .factor_low = 0.5, .factor_high = 0.5};
  fix.scope.ops = {1, 2, 3};
  const Edited edited = apply(make.graph, fix);
  EXPECT_EQ(edited.touched, 3U);
  EXPECT_DOUBLE_EQ(edited.graph.device[1].ns, 15 * kUs);
  EXPECT_NEAR(edited.ns(), 3 * 25 * kUs, 1) << "the first, the fused one, the last";
}

TEST(Edits, AFixOfOpsLeavesOthersOfTheirClass) {
  GraphMaker make;
  for (DeviceOpId op = 0; op < 3; ++op) {
    make.launch(100 * kUs);
    make.graph.device.back().op = op;
  }
  make.end_step();
  Fix fix{.kind = FixKind::scale_work, .factor = 0.5, .factor_low = 0.5, .factor_high = 0.5};
  fix.scope.ops = {1};
  const Edited edited = apply(make.graph, fix);
  EXPECT_EQ(edited.touched, 1U);
  EXPECT_DOUBLE_EQ(edited.graph.device[1].ns, 50 * kUs);
}

TEST(Edits, HostWorkOfATimeGoesElsewhereWithoutItsLaunches) {
  GraphMaker make;
  make.work(1000 * kUs);
  make.graph.host[0].end = 1'000'000;
  make.launch(100 * kUs);
  make.graph.host[1].begin = make.graph.host[1].end = 1'000'000;
  make.end_step();
  Fix fix{.kind = FixKind::drop_work};
  fix.scope.host_times = {{100'000, 900'000}};
  const Edited edited = apply(make.graph, fix, Luck::good);
  EXPECT_EQ(edited.touched, 1U);
  EXPECT_DOUBLE_EQ(edited.ns(), 101 * kUs) << "the device alone";
}

TEST(Edits, EachSaysWhenNothingMatches) {
  GraphMaker make;
  make.work(10 * kUs);
  make.end_step();
  for (const EditRow& row : all_edits()) {
    Fix fix = in_phase(row.kind, 2);
    fix.every = 2;
    EXPECT_EQ(apply(make.graph, fix).touched, 0U) << row.name;
    EXPECT_EQ(fix_named(name_of(row.kind)), row.kind);
  }
}

}  // namespace
}  // namespace stepscope
