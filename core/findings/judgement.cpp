// SPDX-License-Identifier: Apache-2.0
#include "core/findings/judgement.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/findings/price.hpp"
#include "core/support/duration.hpp"

namespace stepscope::rules {
namespace {

// If a replay gives more than this many times the ceiling, the ceiling is expected, and the rest is
// only possible: the edit took other work of the same lines along. The ceiling of launch_bound
// lacks what other rules explained before it, while a graph takes that work, too; but no fix takes
// away time of which nobody knows what it is.
constexpr double kMostOfCeiling = 1.25;
constexpr std::string_view kTakesAllLaunches = "launch_bound";
constexpr double kHoldsTheStep = 0.9;  // from this share on the device is what is waited for
constexpr double kMostOfWhatWasCaused = 0.5;

double expected_gain(const JudgedRun& run, const Finding& finding, double gain) {
  if (finding.id == kTakesAllLaunches) return std::min(gain, run.step_ns - run.unknown_per_step());
  const bool is_more = gain > kMostOfCeiling * finding.ceiling_ns_per_step;
  return is_more ? finding.ceiling_ns_per_step : gain;
}

void add_forecast(const JudgedRun& run, Finding& finding) {
  Forecast forecast = run.forecaster(finding.fixes);
  if (!forecast.abstained.empty()) return;
  const double gain = run.step_ns - forecast.ns_per_step;
  const double expected = expected_gain(run, finding, gain);
  if (expected < gain) {
    for (Fix& fix : finding.fixes) fix.expected_share = std::max(0.0, expected / gain);
    forecast = run.forecaster(finding.fixes);
  }
  finding.forecast = std::move(forecast);
}

// Returns what holds the step where a fix gains nothing.
std::string why_no_gain(const JudgedRun& run, const Finding& finding) {
  const Forecast& with = *finding.forecast;
  const std::string slowed =
      run.inflated ? " (as recorded; the profiler of this trace slowed the host)" : "";
  if (with.waits_more_ns >= kMostOfWhatWasCaused * finding.caused_ns_per_step)
    return fmt::format("the host then waits for the device at {}, {} a step longer",
                       run.line_text(with.waits_at), format_duration(with.waits_more_ns)) +
           slowed;
  const std::string works = fmt::format("the device works for {} of it", percent(with.busy_share));
  if (with.busy_share >= kHoldsTheStep) return "the device is what the step waits for: " + works;
  if (run.trace.device_ops().size() > 0)
    return "the host is what the step waits for: " + works + slowed;
  if (with.input_more_ns >= kMostOfWhatWasCaused * finding.caused_ns_per_step)
    return fmt::format(
        "the loop then waits {} a step longer for the batches that others make: they are what the "
        "step waits for",
        format_duration(with.input_more_ns));
  return "the change takes away too little of what the loop's own thread does in a step";
}

}  // namespace

Judgement fired(Finding finding, Explained explained) {
  Judgement out;
  out.found.push_back(std::move(finding));
  out.explained = std::move(explained);
  return out;
}

Judgement cleared(std::string reason) {
  Judgement out;
  out.cleared.push_back(std::move(reason));
  return out;
}

Judgement abstained(std::string reason) {
  Judgement out;
  out.abstained.push_back(std::move(reason));
  return out;
}

Explained whole_segments(const JudgedRun& run, const std::vector<std::size_t>& segments) {
  Explained out;
  for (const std::size_t i : segments) out.emplace_back(i, run.segments()[i].time.length());
  return out;
}

void weigh(const JudgedRun& run, Severity most, Finding& finding) {
  finding.share = run.share(finding.ceiling_ns_per_step);
  if (run.forecaster && !finding.fixes.empty()) add_forecast(run, finding);
  const double gain = run.weight(finding.gain_ns_per_step(run.step_ns));
  const bool gives_nothing = finding.forecast && gain < kNoGain;
  const bool replay_decides = finding.forecast && (!run.inflated || gives_nothing);
  finding.severity =
      std::min(most, severity_of(replay_decides ? gain : run.weight(finding.ceiling_ns_per_step)));
  if (gives_nothing) finding.no_gain = why_no_gain(run, finding);
}

}  // namespace stepscope::rules
