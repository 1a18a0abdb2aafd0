// SPDX-License-Identifier: Apache-2.0
// A ladder of rungs, each with all below it switched on: how fast each is and what it changed.
//
// Rates are of runs that nothing watched, and their intervals are over repeats. The parts of a step
// are of one more run under the profiler: they are integers of ns a step that sum exactly to that
// run's step, and a rung's changes sum exactly to the difference of the two steps. What the order
// of the rungs decides (a rung behind another finds less to save) is taken apart in orders.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/ladder/trained_run.hpp"
#include "core/summary/summary.hpp"

namespace stepscope {

// A positive quantity from few repeats. Means and intervals are taken of logarithms (geometric
// means), because what disturbs a rate multiplies it; intervals are Student's, 95 %.

struct RepeatedMean {
  double value = 0;
  // Absent where fewer than two repeats say nothing of their spread.
  std::optional<double> low, high;
};

// Returns the mean of positive values; 0 if there are none.
RepeatedMean repeated_mean(const std::vector<double>& values);

// b / a, repeat by repeat; what one side alone has is left out.
RepeatedMean ratio_of(const std::vector<double>& a, const std::vector<double>& b);

// The runs of one rung.
struct RungRuns {
  RungName rung;
  std::vector<TrainedRun> runs;    // the i-th is the i-th repeat's
  std::optional<Summary> profile;  // one more run, under the profiler
  std::string failure;             // why it has no runs, or no profile
};

struct LadderOptions {
  double loss_tolerance = 0.02;  // largest relative difference of a step's loss to the first rung's
  double null_band = 0.02;       // an interval within 1 +- this that holds 1 is a measured null
};

enum class Effect : std::uint8_t { first, faster, slower, none, undecided, failed };
std::string_view name_of(Effect effect);  // "first", "faster", "slower", "null", "undecided", ...

struct StepPart {
  Cause cause = Cause::unknown;
  std::int64_t ns = 0;  // a step
};

struct ProfiledStep {
  std::int64_t wall_ns = 0;  // == sum of parts
  std::uint64_t steps_counted = 0;
  Bound bound = Bound::not_judged;
  std::vector<StepPart> parts;    // largest first
  std::vector<StepPart> changes;  // against the rung below that has a profile, largest first
};

struct LossParity {
  double last = 0;
  double largest_difference = 0;  // |loss - the first rung's| / the first rung's
  std::int64_t at_step = 0;       // from 1
  bool within = true;             // the tolerance
};

struct LadderRung {
  RungName rung;
  Effect effect = Effect::failed;
  std::vector<double> rates;  // tokens/s, of each repeat
  RepeatedMean tokens_per_s;
  std::optional<RepeatedMean> gain;    // over the rung below that ran
  std::optional<RepeatedMean> in_all;  // over the first
  double ms_per_step = 0, mfu = 0;
  std::int64_t peak_bytes = 0;
  std::optional<LossParity> loss;
  std::optional<ProfiledStep> step;
  std::string failure;
};

struct Ladder {
  std::string model, preset, device;
  std::int64_t tokens_a_step = 0, timed_steps = 0;
  std::size_t repeats = 0;
  LadderOptions options;
  std::vector<LadderRung> rungs;
  std::vector<std::string> notes;

  bool same_losses() const;  // Whether every rung that ran has the first rung's losses.
};

// Judges a gain by its interval: faster, slower, none where it holds 1 and is narrow, else
// undecided.
Effect effect_of(const RepeatedMean& gain, double null_band);

// Returns notes on what failed, and on rungs with other losses.
std::vector<std::string> notes_of_runs(const Ladder& ladder);

Ladder make_ladder(std::string model, const std::vector<RungRuns>& rungs,
                   const LadderOptions& options = {});

}  // namespace stepscope
