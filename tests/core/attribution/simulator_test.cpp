// SPDX-License-Identifier: Apache-2.0
// The attribution of simulated runs against their truth (tests/simulator): the sum of absolute
// differences over causes stays within 0.5 % of the windows' wall time, in each of 1,000 runs.
// STEPSCOPE_SEED=N STEPSCOPE_SEEDS=1 replays one run and prints truth and attribution side by side.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <numeric>

#include "core/attribution/attribution.hpp"
#include "tests/simulator/machine.hpp"
#include "tests/simulator/recording.hpp"
#include "tests/simulator/truth.hpp"

namespace stepscope::simulator {
namespace {

constexpr double kTolerance = 0.005;

struct Judged {
  std::uint64_t seed = 0;
  std::int64_t wall = 0;
  PerCause<std::int64_t> truth{};
  PerCause<std::int64_t> found{};
  std::vector<std::string> broken;

  double error() const {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < kCauseCount; ++i) sum += std::abs(truth[i] - found[i]);
    return wall > 0 ? static_cast<double>(sum) / static_cast<double>(wall) : 1;
  }
};

Judged judge(std::uint64_t seed, const Program& program) {
  const Run run = execute(program, seed);
  const Trace trace = record(run);
  const Steps steps = true_steps(run, trace);
  Judged out{.seed = seed, .truth = merge_equals(true_partition(run))};
  for (const Interval& window : run.windows) out.wall += window.length();
  const Result<Attribution> found = attribute(trace, steps);
  if (!found.ok()) {
    out.broken.push_back(found.error().message);
    return out;
  }
  for (const Cell& cell : found->process.cells) out.found[index_of(cell.cause)] += cell.ns;
  out.found = merge_equals(out.found);
  out.broken = found->broken_invariants;
  return out;
}

std::string describe(const Judged& run) {
  std::string out = "seed " + std::to_string(run.seed) + ": off by " +
                    std::to_string(run.error() * 100) + " % of " + std::to_string(run.wall) +
                    " ns (cause: true, found)\n";
  for (std::size_t i = 0; i < kCauseCount; ++i) {
    if (run.truth[i] == run.found[i]) continue;
    out += "  " + std::string(name_of(static_cast<Cause>(i))) + ": " +
           std::to_string(run.truth[i]) + ", " + std::to_string(run.found[i]) + "\n";
  }
  for (const std::string& broken : run.broken) out += "  broken: " + broken + "\n";
  return out;
}

std::uint64_t number_from(const char* variable, std::uint64_t fallback) {
  const char* text = std::getenv(variable);
  return text == nullptr ? fallback : std::strtoull(text, nullptr, 10);
}

TEST(Simulator, AttributionIsTheTruth) {
  const std::uint64_t seeds = number_from("STEPSCOPE_SEEDS", 1000);
  const std::uint64_t first = number_from("STEPSCOPE_SEED", 0);
  std::vector<Judged> runs;
  for (std::uint64_t seed = first; seed < first + seeds; ++seed)
    runs.push_back(judge(seed, random_program(seed)));
  std::sort(runs.begin(), runs.end(),
            [](const Judged& a, const Judged& b) { return a.error() > b.error(); });
  const auto wrong = std::count_if(runs.begin(), runs.end(),
                                   [](const Judged& run) { return run.error() > kTolerance; });
  std::cout << "worst of " << runs.size() << ": " << describe(runs.front());
  EXPECT_EQ(wrong, 0) << "replay one with STEPSCOPE_SEEDS=1 STEPSCOPE_SEED=" << runs.front().seed;
  for (std::size_t i = 0; i < 5 && i < runs.size() && runs[i].error() > kTolerance; ++i) {
    ADD_FAILURE() << describe(runs[i]);
  }
}

// What the truth itself must be, whatever the attribution says: it fills the windows, and device
// time is the union of the ops.
TEST(Simulator, TruthIsAPartition) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto run = execute(random_program(seed), seed);
    const PerCause<std::int64_t> truth = true_partition(run);
    const Interval all{run.windows.front().begin, run.windows.back().end};
    std::vector<Interval> ops;
    for (const SimulatedOp& op : run.ops) ops.push_back(intersect({op.begin, op.end}, all));
    std::erase_if(ops, [](const Interval& i) { return i.empty(); });
    std::int64_t busy = 0;
    for (std::size_t i = 0; i < kCauseCount; ++i) {
      if (is_device_busy(static_cast<Cause>(i))) busy += truth[i];
    }
    EXPECT_EQ(busy, total_length(unite(ops))) << "seed " << seed;
    EXPECT_EQ(std::accumulate(truth.begin(), truth.end(), std::int64_t{0}), all.length())
        << "seed " << seed;
    EXPECT_EQ(truth[index_of(Cause::unknown)], 0) << "seed " << seed;
  }
}

}  // namespace
}  // namespace stepscope::simulator
