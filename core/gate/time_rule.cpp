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
#include "core/gate/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/gate/further_runs.hpp"
#include "core/support/statistics.hpp"

namespace stepscope {
namespace {

constexpr double kClocksDiffer = 0.01;
constexpr std::size_t kUsualRuns = 5;

bool is_positive(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(),
                     [](double value) { return std::isfinite(value) && value > 0; });
}

bool are_times(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(),
                     [](double value) { return std::isfinite(value) && value >= 0; });
}

bool is_zero(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return value == 0; });
}

std::size_t least_runs(const RatioSample& times) {
  return std::min(times.baseline.size(), times.candidate.size());
}

// A verdict without statistics, where there is nothing to rank.
std::optional<TimeOutcome> without_ranks(const RatioSample& times) {
  TimeOutcome out;
  const std::size_t runs = least_runs(times);
  if (runs == 0) {
    out.why = "a side has no run to judge";
  } else if (is_zero(times.baseline) && is_zero(times.candidate)) {
    out.outcome = Outcome::pass;
    out.why = "no time in it on either side";
  } else if (!are_times(times.baseline) || !are_times(times.candidate)) {
    out.why = "a run's value is no time: below zero, or not finite";
  } else if (is_zero(times.baseline) || is_zero(times.candidate)) {
    out.why = fmt::format("no run of the {} has time in it, so there is no ratio",
                          is_zero(times.baseline) ? "baseline" : "candidate");
  } else if (!is_positive(times.baseline) || !is_positive(times.candidate)) {
    out.why = "some runs have no time in it, so there is no ratio";
  } else if (runs == 1) {
    out.why = times.baseline.size() == times.candidate.size()
                  ? "one run a side: the noise is not known"
                  : fmt::format("one run of the {}: its noise is not known",
                                times.baseline.size() == 1 ? "baseline" : "candidate");
    out.further_runs = kUsualRuns - runs;
  } else {
    return std::nullopt;
  }
  return out;
}

// Too few runs to rank, however alike they are, is another reason than noise.
std::string why_open(const RatioSample& times, double tolerance, double level, bool would_tell) {
  constexpr double kNear = 0.01;
  if (would_tell && smallest_chance(times) > level)
    return "too few runs to tell, however alike they are";
  if (would_tell) return "the runs differ too much among themselves to tell";
  const double ratio = middle_ratio(times);
  if (std::abs(ratio / (1 + tolerance) - 1) <= kNear)
    return fmt::format(
        "measured so near the tolerance that {} runs a side would not tell, with so much noise: "
        "ask "
        "again on a quieter machine, or with another tolerance",
        kMostRunsAsked);
  return fmt::format(
      "the runs differ so much among themselves that {} a side would not tell: ask again on a "
      "quieter machine, or with longer runs",
      kMostRunsAsked);
}

TimeOutcome by_ranks(const RatioSample& times, double tolerance, double level, double own_level) {
  TimeOutcome out{.ratio = middle_ratio(times),
                  .ratio_low = lowest_ratio(times, own_level),
                  .ratio_high = highest_ratio(times, level)};
  const double allowed = 1 + tolerance;
  if (out.ratio_low && *out.ratio_low > allowed) {
    out.outcome = Outcome::regression;
    out.why = fmt::format("slower by {:.1f} % at least", 100 * (*out.ratio_low - 1));
  } else if (out.ratio_high && *out.ratio_high < allowed) {
    out.outcome = Outcome::pass;
    out.why = *out.ratio_high < 1
                  ? fmt::format("faster by {:.1f} % at least", 100 * (1 - *out.ratio_high))
                  : fmt::format("slower by {:.1f} % at most", 100 * (*out.ratio_high - 1));
  } else {
    out.further_runs = further_runs(times, tolerance, own_level);
    out.why = why_open(times, tolerance, own_level, out.further_runs.has_value());
  }
  return out;
}

RatioSample cycles_of(const TimeTest& test) {
  RatioSample out = test.times;
  for (std::size_t i = 0; i < out.baseline.size(); ++i) out.baseline[i] *= test.baseline_mhz[i];
  for (std::size_t i = 0; i < out.candidate.size(); ++i) out.candidate[i] *= test.candidate_mhz[i];
  return out;
}

// Returns the ratio of the candidate's clocks to the baseline's; nothing where they are not known
// or do not differ.
std::optional<double> clock_change(const TimeTest& test) {
  const bool known = test.baseline_mhz.size() == test.times.baseline.size() &&
                     test.candidate_mhz.size() == test.times.candidate.size() &&
                     is_positive(test.baseline_mhz) && is_positive(test.candidate_mhz);
  if (!known || test.baseline_mhz.empty() || test.candidate_mhz.empty()) return std::nullopt;
  const double ratio = median_of(test.candidate_mhz) / median_of(test.baseline_mhz);
  return std::abs(ratio - 1) > kClocksDiffer ? std::optional(ratio) : std::nullopt;
}

void check_in_cycles(const TimeTest& test, double level, double own_level, TimeOutcome& out) {
  const std::optional<double> clocks = clock_change(test);
  if (!clocks || out.outcome == Outcome::inconclusive) return;
  const TimeOutcome cycles = by_ranks(cycles_of(test), test.tolerance, level, own_level);
  if (cycles.outcome == out.outcome) return;
  out.why = fmt::format(
      "a {} by time, but not in cycles: the clock was {:+.1f} % against the baseline's; hold the "
      "clocks, or interleave the runs",
      name_of(out.outcome), 100 * (*clocks - 1));
  out.outcome = Outcome::inconclusive;
}

}  // namespace

std::vector<TimeOutcome> judge_times(const std::vector<TimeTest>& tests, double level) {
  std::vector<TimeOutcome> out(tests.size());
  std::vector<std::size_t> ranked;
  std::vector<double> chances;
  for (std::size_t i = 0; i < tests.size(); ++i) {
    if (auto known = without_ranks(tests[i].times)) {
      out[i] = std::move(*known);
      continue;
    }
    ranked.push_back(i);
    chances.push_back(chance_of_ratio(tests[i].times, 1 + tests[i].tolerance));
  }
  const std::vector<double> levels = holm_levels(chances, level);
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    const TimeTest& test = tests[ranked[i]];
    out[ranked[i]] = by_ranks(test.times, test.tolerance, level, levels[i]);
    check_in_cycles(test, level, levels[i], out[ranked[i]]);
  }
  return out;
}

}  // namespace stepscope
