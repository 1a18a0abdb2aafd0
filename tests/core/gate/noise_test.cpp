// SPDX-License-Identifier: Apache-2.0
// False alarms and power by simulation, under three models of the noise of whole runs:
//   quiet     0.3 % standard deviation
//   typical   1 %, and 5 % of the runs are slower by 3 to 10 %
//   noisy     2.5 %, and 10 % of the runs are slower by 3 to 10 %
// and typical runs of hosts that drift: 2 % up or down from each pair of runs to the next.
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "core/gate/rules.hpp"

namespace stepscope {
namespace {

struct Noise {
  double deviation;
  double slow_share;
};

constexpr Noise kQuiet{0.003, 0};
constexpr Noise kTypical{0.01, 0.05};
constexpr Noise kNoisy{0.025, 0.10};

class Laboratory {
 public:
  explicit Laboratory(Noise noise) : noise_(noise) {}

  double run(double true_time) {
    std::normal_distribution<double> normal(1, noise_.deviation);
    std::uniform_real_distribution<double> unit(0, 1);
    const double slow = unit(random_) < noise_.slow_share ? 1.03 + 0.07 * unit(random_) : 1;
    return true_time * normal(random_) * slow;
  }

  // Shares of each outcome over many experiments of n runs a side.
  struct Shares {
    double regression = 0;
    double pass = 0;
  };
  Shares judge(std::size_t n, double true_ratio, std::size_t metrics = 1, bool paired = false,
               double drift = 0) {
    constexpr int kTrials = 10'000;
    Shares out;
    for (int trial = 0; trial < kTrials; ++trial) {
      const auto outcomes = judge_times(experiment(n, true_ratio, metrics, paired, drift), 0.05);
      const auto any = [&](Outcome wanted) {
        return std::any_of(outcomes.begin(), outcomes.end(),
                           [&](const TimeOutcome& o) { return o.outcome == wanted; });
      };
      const bool all_pass = !any(Outcome::regression) && !any(Outcome::inconclusive);
      out.regression += any(Outcome::regression) ? 1.0 / kTrials : 0;
      out.pass += all_pass ? 1.0 / kTrials : 0;
    }
    return out;
  }

 private:
  std::vector<TimeTest> experiment(std::size_t n, double true_ratio, std::size_t metrics,
                                   bool paired, double drift) {
    std::uniform_real_distribution<double> host(1 - drift, 1 + drift);
    std::vector<TimeTest> tests(metrics);
    for (std::size_t run_of = 0; run_of < n; ++run_of) {
      const double now = host(random_);
      for (TimeTest& test : tests) {
        test.times.paired = paired;
        test.tolerance = 0.02;
        test.times.baseline.push_back(run(now));
        test.times.candidate.push_back(run(now * true_ratio));
      }
    }
    return tests;
  }

  Noise noise_;
  std::mt19937 random_{20'260'101};
};

TEST(GateNoise, FalseAlarmsAreRarerThanOneInAHundred) {
  for (const Noise noise : {kQuiet, kTypical, kNoisy})
    for (const std::size_t n : {3U, 5U, 10U})
      EXPECT_LE(Laboratory(noise).judge(n, 1.0).regression, 0.01)
          << n << " runs, deviation " << noise.deviation;
}

TEST(GateNoise, FivePerCentAreCaughtByFiveTypicalRuns) {
  EXPECT_GE(Laboratory(kTypical).judge(5, 1.05).regression, 0.75);
  EXPECT_GE(Laboratory(kQuiet).judge(3, 1.05).regression, 0.99);
  EXPECT_GE(Laboratory(kTypical).judge(10, 1.05).regression, 0.90);
}

TEST(GateNoise, ARealFivePerCentHardlyEverPasses) {
  for (const Noise noise : {kQuiet, kTypical, kNoisy})
    for (const std::size_t n : {3U, 5U, 10U})
      EXPECT_LE(Laboratory(noise).judge(n, 1.05).pass, 0.02)
          << n << " runs, deviation " << noise.deviation;
}

TEST(GateNoise, AtTheToleranceNeitherVerdictComesMoreOftenThanItsLevel) {
  for (const Noise noise : {kQuiet, kTypical, kNoisy}) {
    const auto shares = Laboratory(noise).judge(5, 1.02);
    EXPECT_LE(shares.regression, 0.055);
    EXPECT_LE(shares.pass, 0.055);
  }
}

TEST(GateNoise, UnchangedQuietRunsPass) {
  EXPECT_GE(Laboratory(kQuiet).judge(3, 1.0).pass, 0.99);
  EXPECT_GE(Laboratory(kTypical).judge(5, 1.0).pass, 0.60);
}

TEST(GateNoise, ManyMetricsAlarmNoMoreOftenThanOne) {
  EXPECT_LE(Laboratory(kTypical).judge(5, 1.0, 4).regression, 0.01);
  EXPECT_LE(Laboratory(kNoisy).judge(5, 1.0, 4).regression, 0.01);
  EXPECT_LE(Laboratory(kQuiet).judge(5, 1.02, 4).regression, 0.05);
}

TEST(GateNoise, InterleavedRunsOnADriftingHostGiveNoAlarm) {
  for (const bool paired : {false, true}) {
    Laboratory laboratory(kTypical);
    EXPECT_LE(laboratory.judge(5, 1.0, 1, paired, 0.02).regression, 0.01);
  }
  const double unpaired = Laboratory(kTypical).judge(10, 1.05, 1, false, 0.05).regression;
  const double paired = Laboratory(kTypical).judge(10, 1.05, 1, true, 0.05).regression;
  EXPECT_GT(paired, unpaired + 0.1) << "pairs cancel the drift";
}

}  // namespace
}  // namespace stepscope
