// SPDX-License-Identifier: Apache-2.0
// Whether a candidate is a regression against a baseline, as plain structs: reports/* only format
// it.
//
// A regression is said only where chance does not make it; a pass only where a regression beyond
// the tolerance is ruled out. Everything between is inconclusive, with the number of further runs a
// side that would most likely decide it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/compare/comparison.hpp"
#include "core/gate/policy.hpp"
#include "core/summary/summary.hpp"

namespace stepscope {

// not_judged: the policy does not ask for it by name, and the runs do not have it.
enum class Outcome : std::uint8_t { pass, regression, inconclusive, not_judged };
std::string_view name_of(Outcome outcome);

// Where a metric's rise comes from: a summand of the exact difference of the middle runs. The cause
// is unknown, and the phase empty, of work that owns none of the difference in time.
struct MetricCause {
  Cause cause = Cause::unknown;
  std::string phase;
  std::string file;  // empty: no line is known
  std::uint32_t line = 0;
  std::string function;
  std::string operation;
  DeltaKind kind = DeltaKind::idle;
  double ns_per_step = 0;     // candidate less baseline
  double calls_per_step = 0;  // likewise
  double bytes_per_step = 0;  // likewise, of a count of bytes
  Direction direction = Direction::none;
  std::string folder;  // where the candidate ran: readers see the file's name from there
};

struct MetricResult {
  std::string name;
  MetricKind kind = MetricKind::time;
  Outcome outcome = Outcome::not_judged;
  std::string why;                  // one sentence
  std::optional<double> baseline;   // medians over the runs, a step
  std::optional<double> candidate;  // nothing where no run has it
  double tolerance = 0;             // relative
  std::string budget;               // a budget as it was written: then there is no baseline
  std::optional<double> ratio;      // candidate / baseline
  std::optional<double> ratio_low;  // one-sided bounds; counts have none
  std::optional<double> ratio_high;
  // Further runs a side that an inconclusive metric needs.
  std::optional<std::uint64_t> further_runs;
  std::vector<MetricCause> causes;  // causes of a regression, largest first
};

struct GateRun {
  std::string path;
  std::string device;
  std::uint64_t steps = 0;
  double step_ns = 0;
  std::optional<double> clock_mhz;
  std::string not_used;  // why it decides nothing; empty: it does
};

struct GateVerdict {
  Outcome outcome = Outcome::inconclusive;
  bool comparable = true;
  std::vector<std::string> why_not;   // comparable; each one sentence
  std::vector<std::string> warnings;  // to be known, but no reason against
  std::vector<GateRun> baseline;
  std::vector<GateRun> candidate;
  double level = 0.05;
  bool paired = false;
  std::vector<MetricResult> metrics;  // regressions first, then inconclusive ones, then the rest
  std::optional<std::uint64_t> further_runs;  // the most that an inconclusive metric asks for

  std::size_t count(Outcome outcome_wanted) const;
};

// The baseline may be empty where the policy holds budgets only.
GateVerdict judge(const Policy& policy, const std::vector<Summary>& baseline,
                  const std::vector<Summary>& candidate);

}  // namespace stepscope
