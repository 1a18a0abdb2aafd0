// SPDX-License-Identifier: Apache-2.0
// Input that workers make, replayed and edited on graphs made by hand.
#include <gtest/gtest.h>

#include "tests/core/simulate/graph_maker.hpp"

namespace stepscope {
namespace {

constexpr double kSlower = 1.12;  // a worker that computes, against the loop at the same work

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
  EXPECT_NEAR(apply(make.graph, fix).ns(), 3 * 4500 * kSlower * kUs, 500 * kUs)
      << "four workers are late";
}

TEST(Edits, ABatchOfAWorkerCostsItsHandOverEvenIfItWasCheapToMake) {
  GraphMaker make;
  for (int step = 0; step < 2; ++step) {
    make.work(200 * kUs, 0, Cause::host_data_wait);
    make.work(2000 * kUs);
    make.end_step();
    make.graph.steps.back().asks_loader = 2;
    make.graph.steps.back().begins_loader = step == 1;
  }
  const Edited edited = apply(make.graph, {.kind = FixKind::prefetch_input, .workers = 1});
  EXPECT_DOUBLE_EQ(edited.graph.host[0].ns, 2 * 700 * kUs) << "two batches a step";
  EXPECT_DOUBLE_EQ(edited.graph.host[0].making_ns, (200 * kSlower + 2 * 900) * kUs);
  EXPECT_DOUBLE_EQ(edited.graph.host[2].ns, (2 * 700 + 200 * kSlower + 2 * 900) * kUs)
      << "an epoch's first batch";
}

// A loop over a loader ends and begins anew: its workers end for 40 ms, are started for 30, and have
// the first batch 20 ms later. Where steps are iterations of the loop, the end is in the last one.
TEST(Edits, WorkersAreKeptFromEpochToEpoch) {
  for (const bool ends_in_a_step_of_its_own : {false, true}) {
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
    if (ends_in_a_step_of_its_own) make.end_step();
    make.work(30'000 * kUs).site = kLoaderLine;
    take(20'000 * kUs, true);
    make.work(2000 * kUs);
    make.end_step();
    take(500 * kUs, false);
    make.end_step();
    for (SampledStep& step : make.graph.steps) step.follows_on = true;
    make.graph.producers = {
        {.workers = 2, .depth = 4, .making_ns = 3000 * kUs, .take_ns = 500 * kUs}};
    const Edited edited = apply(make.graph, {.kind = FixKind::prefetch_input, .workers = 4});
    EXPECT_DOUBLE_EQ(edited.graph.host[0].ns, 0);
    EXPECT_DOUBLE_EQ(edited.graph.host[1].ns, 0);
    EXPECT_DOUBLE_EQ(edited.graph.host[2].ns, 3500 * kUs);
    EXPECT_DOUBLE_EQ(edited.graph.host[3].ns, 2000 * kUs);
    EXPECT_DOUBLE_EQ(edited.graph.host[4].ns, 500 * kUs);
  }
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
  EXPECT_NEAR(apply(make.graph, fix).ns(), 3 * (3000 * kSlower + 1500) / 2.0 * kUs, 1)
      << "shared by all";
  make.graph.cores = 1;
  EXPECT_NEAR(apply(make.graph, fix).ns(), 3 * (3000 * kSlower + 1500) * kUs, 1)
      << "taking costs, too";
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

}  // namespace
}  // namespace stepscope
