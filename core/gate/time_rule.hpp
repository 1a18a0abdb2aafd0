// SPDX-License-Identifier: Apache-2.0
// Whether times rose beyond their tolerance, from several runs a side.
//
//   regression    the lower bound of the ratio lies above 1 + tolerance, at the level that Holm's
//                 correction over all times leaves it
//   pass          the upper bound lies below 1 + tolerance, at the uncorrected level: the gate
//                 passes only where all do, so each may be tested alone
//   else          inconclusive, with the number of further runs
// Where all clocks are known and the sides' differ, the same is asked of cycles (time x clock), and
// a verdict stands only where both give it: a slow clock is no regression of the program, and a
// fast one hides none.
#pragma once

#include <optional>
#include <vector>

#include "core/gate/rank_bound.hpp"
#include "core/gate/verdict.hpp"

namespace stepscope {

struct TimeTest {
  RatioSample times;                 // ns a step, one a run
  std::vector<double> baseline_mhz;  // clocks of the same runs; empty where one is not known
  std::vector<double> candidate_mhz;
  double tolerance = 0;
};

struct TimeOutcome {
  Outcome outcome = Outcome::inconclusive;
  std::string why;
  std::optional<double> ratio;
  std::optional<double> ratio_low;
  std::optional<double> ratio_high;
  std::optional<std::uint64_t> further_runs;
};

std::vector<TimeOutcome> judge_times(const std::vector<TimeTest>& tests, double level);

}  // namespace stepscope
