// SPDX-License-Identifier: Apache-2.0
// Replay and edits on graphs made by hand: what each number must be follows from the rules alone.
#include <gtest/gtest.h>

#include "core/simulate/edits/edit.hpp"
#include "core/simulate/replay.hpp"

namespace stepscope {
namespace {

constexpr double kUs = 1000;

// One thread and one stream; L is 2 us, D 1 us, a launch call 5 us.
class GraphMaker {
 public:
  GraphMaker() {
    graph.streams = 1;
    graph.queue_depth = 1022;
    graph.latency_ns = 2 * kUs;
    graph.dispatch_ns = 1 * kUs;
    graph.launch_call_ns = graph.copy_call_ns = 5 * kUs;
  }

  HostTask& work(double ns, PhaseId phase = 0, Cause cause = Cause::host_python) {
    HostTask task;
    task.ns = ns;
    task.phase = phase;
    task.cause = cause;
    return add(task);
  }

  HostTask& launch(double device_ns, Cause cause = Cause::gpu_gemm, PhaseId phase = 0,
                   std::uint32_t stream = 0) {
    HostTask task;
    task.ns = 5 * kUs;
    task.call = 0;
    task.api = ApiKind::launch_kernel;
    task.phase = phase;
    task.first_op = static_cast<std::uint32_t>(graph.device.size());
    task.op_count = 1;
    DeviceTask op;
    op.ns = device_ns;
    op.arrival_ns = task.ns + graph.latency_ns;
    op.gap_ns = graph.dispatch_ns;
    op.cause = cause;
    op.phase = phase;
    op.stream = stream;
    graph.device.push_back(op);
    return add(task);
  }

  HostTask& sync() {
    HostTask task;
    task.ns = 1 * kUs;
    task.return_ns = 7 * kUs;
    task.call = 0;
    task.api = ApiKind::sync_stream;
    task.wait = WaitKind::stream;
    task.wait_on = 0;
    return add(task);
  }

  void end_step() {
    graph.steps.push_back({.row = static_cast<std::uint32_t>(graph.steps.size()),
                           .end_task = static_cast<std::uint32_t>(graph.host.size())});
  }

  TaskGraph graph;

 private:
  HostTask& add(HostTask task) {
    task.step = static_cast<std::uint32_t>(graph.steps.size());
    task.first_op = task.op_count > 0 ? task.first_op : 0;
    graph.host.push_back(task);
    return graph.host.back();
  }
};

const std::vector<Phase> kPhases = {{}, {"eval", 0}, {"inner", 1}};

struct Edited {
  TaskGraph graph;
  std::size_t touched = 0;
  std::vector<std::string> assumptions;
  double ns() const { return replay(graph).ns(); }
};

Edited apply(const TaskGraph& graph, const Fix& fix, Luck luck = Luck::expected) {
  Edited out{graph};
  const Selection scope(fix.scope, kPhases);
  Edit edit{out.graph, fix, scope, luck, out.assumptions};
  for (const EditRow& row : all_edits()) {
    if (row.kind == fix.kind) row.apply(edit);
  }
  out.touched = edit.touched;
  return out;
}

Fix in_phase(FixKind kind, PhaseId phase) {
  Fix fix{.kind = kind};
  fix.scope.phases = {phase};
  return fix;
}

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

TEST(Edits, PrefetchedInputIsWaitedForOnlyWhereItIsLate) {
  GraphMaker make;
  for (int step = 0; step < 3; ++step) {
    make.work(4000 * kUs, 0, Cause::host_data_wait);
    make.launch(2000 * kUs);
    make.sync();
    make.end_step();
  }
  const Fix fix{.kind = FixKind::prefetch_input};
  EXPECT_NEAR(apply(make.graph, fix).ns(), 3 * (500 + 7 + 2000 + 7) * kUs, 1) << "in time";
  EXPECT_NEAR(apply(make.graph, fix, Luck::bad).ns(), 3 * (1500 + 7 + 2000 + 7) * kUs, 1)
      << "taking a batch costs 1.5 ms";
  make.graph.host[0].ns = make.graph.host[3].ns = make.graph.host[6].ns = 18'000 * kUs;
  EXPECT_NEAR(apply(make.graph, fix).ns(), 3 * 4500 * kUs, 500 * kUs) << "four workers are late";
}

TEST(Edits, ABatchOfAWorkerCostsItsHandOverEvenIfItWasCheapToMake) {
  GraphMaker make;
  for (int step = 0; step < 2; ++step) {
    make.work(200 * kUs, 0, Cause::host_data_wait);
    make.work(2000 * kUs);
    make.end_step();
    make.graph.steps.back().asks_loader = true;
    make.graph.steps.back().begins_loader = step == 1;
  }
  const Edited edited = apply(make.graph, {.kind = FixKind::prefetch_input, .workers = 1});
  EXPECT_DOUBLE_EQ(edited.graph.host[0].ns, 700 * kUs);
  EXPECT_DOUBLE_EQ(edited.graph.host[0].making_ns, (200 + 400) * kUs);
  EXPECT_DOUBLE_EQ(edited.graph.host[2].ns, (700 + 200 + 400) * kUs) << "an epoch's first batch";
}

// A loop over a loader ends and begins anew: its workers end for 40 ms, are started for 30, and have
// the first batch 20 ms later.
TEST(Edits, WorkersAreKeptFromEpochToEpoch) {
  GraphMaker make;
  constexpr SiteId kLoaderLine = 7;
  const auto take = [&](double ns, bool restarts) {
    HostTask& task = make.work(ns, 0, Cause::host_data_wait);
    task.producer = 0;
    task.takes = true;
    task.restarts = restarts;
    task.site = kLoaderLine;
    task.making_ns = restarts ? 0 : 3000 * kUs;
  };
  take(40'000 * kUs, true);
  make.work(30'000 * kUs).site = kLoaderLine;
  take(20'000 * kUs, true);
  make.work(2000 * kUs);
  make.end_step();
  take(500 * kUs, false);
  make.end_step();
  make.graph.producers = {
      {.workers = 2, .depth = 4, .making_ns = 3000 * kUs, .take_ns = 500 * kUs}};
  const Edited edited = apply(make.graph, {.kind = FixKind::prefetch_input, .workers = 4});
  EXPECT_DOUBLE_EQ(edited.graph.host[0].ns, 0);
  EXPECT_DOUBLE_EQ(edited.graph.host[1].ns, 0);
  EXPECT_DOUBLE_EQ(edited.graph.host[2].ns, 3500 * kUs);
  EXPECT_DOUBLE_EQ(edited.graph.host[3].ns, 2000 * kUs);
  EXPECT_DOUBLE_EQ(edited.graph.host[4].ns, 500 * kUs);
}

TEST(Edits, WorkersOfALoopThatComputesItselfMayFindNoCore) {
  GraphMaker make;
  make.work(4000 * kUs, 0, Cause::host_data_wait);
  make.work(6000 * kUs, 0, Cause::host_compute_gemm);
  make.end_step();
  const Fix fix{.kind = FixKind::prefetch_input};
  EXPECT_DOUBLE_EQ(apply(make.graph, fix).ns(), (500 + 6000) * kUs);
  EXPECT_DOUBLE_EQ(apply(make.graph, fix, Luck::bad).ns(), (4000 + 6000) * kUs);
}

TEST(Edits, WorkersComputeNoMoreThanTheCoresCan) {
  GraphMaker make;
  for (int step = 0; step < 3; ++step) {
    make.work(3000 * kUs, 0, Cause::host_data_wait);
    make.work(1000 * kUs, 0, Cause::host_compute_gemm);
    make.end_step();
  }
  const Fix fix{.kind = FixKind::prefetch_input, .workers = 4};
  make.graph.cores = 8;
  EXPECT_NEAR(apply(make.graph, fix).ns(), 3 * 1500 * kUs, 1);
  make.graph.cores = 2;
  EXPECT_NEAR(apply(make.graph, fix).ns(), 3 * (3000 + 1500) / 2.0 * kUs, 1) << "shared by all";
  make.graph.cores = 1;
  EXPECT_NEAR(apply(make.graph, fix).ns(), 3 * (3000 + 1500) * kUs, 1) << "taking costs, too";
  Fix sleeping = fix;
  sleeping.computes = 0;
  EXPECT_NEAR(apply(make.graph, sleeping).ns(), 3 * 1500 * kUs, 1) << "sleeping needs no core";
}

// Worker i mod n makes batch i, once it is asked for and the worker is done with the one before.
class LoaderMaker : public GraphMaker {
 public:
  LoaderMaker(std::uint32_t workers, std::uint32_t depth) {
    graph.producers.push_back({.workers = workers, .depth = depth});
  }
  void step(double making_ns, double work_ns) {
    HostTask& take = work(100 * kUs, 0, Cause::host_data_wait);
    take.producer = 0;
    take.making_ns = making_ns;
    work(work_ns);
    end_step();
  }
};

TEST(Replay, ALoaderIsAsFastAsItsWorkersOrItsLoop) {
  const auto step_of = [](std::uint32_t workers, double making_us, double work_us) {
    LoaderMaker make(workers, 2 * workers);
    for (int i = 0; i < 12; ++i) make.step(making_us * kUs, work_us * kUs);
    return replay(make.graph).ns() / 12 / kUs;
  };
  EXPECT_NEAR(step_of(1, 1000, 400), 1000, 1e-6) << "its worker";
  EXPECT_NEAR(step_of(1, 1000, 2000), 2100, 1e-6) << "its loop";
  EXPECT_NEAR(step_of(4, 1000, 100), 250, 1e-6);
  EXPECT_NEAR(step_of(3, 1000, 100), 1000 / 3.0, 1e-6);
}

// One batch of four takes 2,600 us, the others nothing: what is asked for ahead hides it.
TEST(Replay, WhatIsAskedForAheadHidesASlowBatch) {
  const auto step_of = [](std::uint32_t depth) {
    LoaderMaker make(1, depth);
    for (int i = 0; i < 12; ++i) make.step(i % 4 == 3 ? 2600 * kUs : 0, 900 * kUs);
    return replay(make.graph).ns() / 12 / kUs;
  };
  EXPECT_NEAR(step_of(1), (4 * 1000 + 2600 - 900) / 4.0, 1e-6) << "asked for one step before";
  EXPECT_NEAR(step_of(2), (4 * 1000 + 2600 - 1900) / 4.0, 1e-6);
  EXPECT_NEAR(step_of(4), 1000, 1e-6);
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
