// SPDX-License-Identifier: Apache-2.0
// The rules of a gate: how one metric is judged. The head of each rule's source file states it as a
// formula.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/gate/rank_bound.hpp"
#include "core/gate/verdict.hpp"

namespace stepscope {

// count_rule.cpp: one count of work in one run.
struct CountedWork {
  std::uint64_t total = 0;
  std::uint64_t steps = 1;
  std::uint64_t least = 0;  // least and most in a single step
  std::uint64_t most = 0;
  // Percentiles of single steps; not known of older documents.
  std::optional<std::uint64_t> p10 = {};
  std::optional<std::uint64_t> p90 = {};
  std::optional<std::uint64_t> in_recording = {};  // warm-up included, over `steps_recorded`
  std::uint64_t steps_recorded = 0;

  double per_step() const { return static_cast<double>(total) / static_cast<double>(steps); }
  double doubt() const {
    return static_cast<double>(most - std::min(least, most)) / static_cast<double>(steps);
  }
};

// Sets outcome, why and ratio. Neither side may be empty.
void judge_count(const std::vector<CountedWork>& baseline,
                 const std::vector<CountedWork>& candidate, double tolerance, MetricResult& out);

// time_rule.cpp: one time in several runs a side.
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

// Returns the outcomes in the order of the tests; `level` is the chance of a false alarm of any.
std::vector<TimeOutcome> judge_times(const std::vector<TimeTest>& tests, double level);

using IsIgnored = std::function<bool(const std::string& id)>;  // by the policy

// finding_rule.cpp: findings of at least this severity that the baseline lacks.
std::vector<MetricResult> judge_new_findings(Severity least,
                                             const std::vector<const Summary*>& baseline,
                                             const std::vector<const Summary*>& candidate,
                                             const IsIgnored& is_ignored);

// budget_rule.cpp: whether the runs keep the budget.
MetricResult judge_budget(const Budget& budget, const std::vector<const Summary*>& runs);

// holm.cpp: the level that Holm's correction leaves each chance, in the order given.
std::vector<double> holm_levels(const std::vector<double>& chances, double level);

// Where the rise of a metric comes from, largest first. A time's causes are the summands of the
// exact difference that take longer. A count's causes are the lines with more of it; less those
// with fewer, they sum to the counted difference. Their cost and reason are given where parts of
// the difference are at that line. Work that owns no time (a launch behind which the device was
// busy) has a line, too.
//

std::vector<MetricCause> causes_of(const Metric& metric, const Comparison& difference);

}  // namespace stepscope
