// SPDX-License-Identifier: Apache-2.0
// What waits are charged is part of the idle time that the partition holds, on any trace.
#include "core/findings/run_ahead.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "tests/core/steps/loop_maker.hpp"

namespace stepscope::rules {
namespace {

struct LoopRun {
  Trace trace;
  Steps steps;
  Attribution attribution;
  Summary summary;
};

// Steps of random kernels, Python in between, and waits of all kinds.
LoopRun random_run(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto upto = [&random](std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(1, most)(random);
  };
  LoopMaker loop;
  Steps steps;
  steps.found_by = FoundBy::nvtx_step;
  for (int step = 0; step < 6; ++step) {
    const std::int64_t begin = loop.now;
    for (std::int64_t i = upto(12); i > 0; --i) {
      loop.now += upto(30'000);
      const std::int64_t kind = upto(6);
      if (kind == 1) loop.wait();
      if (kind == 2) loop.copy(CopyKind::host_to_device, upto(20'000));
      loop.kernel("gemm", upto(60'000), kind == 3 ? 8 : 7);
    }
    steps.list.push_back({.id = step, .host = {begin, loop.now}, .window = {begin, loop.now}});
  }
  LoopRun run{loop.build(), steps, {}, {}};
  run.steps.thread = 0;
  run.attribution = *attribute(run.trace, run.steps);
  run.summary = summarize(run.trace, run.steps, run.attribution);
  return run;
}

TEST(RunAhead, ChargesNoMoreThanTheIdleTimeThatThePartitionHolds) {
  std::int64_t charged = 0;
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    const LoopRun run = random_run(seed);
    const Forecaster none;
    const JudgedRun judged(run.trace, run.steps, run.attribution, run.summary, none);
    const std::vector<HostWait>& waits = judged.calls.waits;
    const RunAhead ahead = run_ahead(judged, waits, std::vector<bool>(waits.size(), true));
    const auto sum = [](const std::vector<std::int64_t>& values) {
      return std::accumulate(values.begin(), values.end(), std::int64_t{0});
    };
    EXPECT_EQ(sum(ahead.caused), ahead.total) << "seed " << seed;
    EXPECT_EQ(sum(ahead.hidden), ahead.total) << "seed " << seed;
    for (std::size_t i = 0; i < ahead.hidden.size(); ++i) {
      const Segment& s = judged.segments()[i];
      EXPECT_LE(ahead.hidden[i], s.time.length()) << "seed " << seed;
      EXPECT_FALSE(ahead.hidden[i] > 0 && is_device_busy(s.cause)) << "seed " << seed;
    }
    for (std::size_t w = 0; w < waits.size(); ++w)
      EXPECT_LE(ahead.caused[w], waits[w].time.length()) << "seed " << seed;
    charged += ahead.total;
  }
  EXPECT_GT(charged, 0);
}

TEST(RunAhead, ChargesNothingToWaitsThatStay) {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    const LoopRun run = random_run(seed);
    const Forecaster none;
    const JudgedRun judged(run.trace, run.steps, run.attribution, run.summary, none);
    const std::vector<HostWait>& waits = judged.calls.waits;
    const RunAhead ahead = run_ahead(judged, waits, std::vector<bool>(waits.size(), false));
    EXPECT_EQ(ahead.total, 0) << "seed " << seed;
  }
}

}  // namespace
}  // namespace stepscope::rules
