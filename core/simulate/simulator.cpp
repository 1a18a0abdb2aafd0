// SPDX-License-Identifier: Apache-2.0
#include "core/simulate/simulator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/attribution/process_index.hpp"
#include "core/simulate/graph/build_graph.hpp"
#include "core/simulate/graph/loader_takes.hpp"
#include "core/simulate/graph/worker_time.hpp"
#include "core/simulate/inflation.hpp"
#include "core/simulate/replayed_steps.hpp"
#include "core/simulate/sample.hpp"
#include "core/simulate/selection.hpp"
#include "core/simulate/spread.hpp"
#include "core/support/duration.hpp"

namespace stepscope {
namespace {

constexpr double kMostInflation = 3;  // by a profiler with stacks, as measured
// Where the device alone comes so near to the plain step, that step does not show how fast the host
// is: it may be anything up to three times as fast as recorded.
constexpr double kDeviceExplains = 0.9;

std::vector<double> times_of(const Steps& steps, const std::vector<std::uint32_t>& rows) {
  std::vector<double> out;
  for (const std::uint32_t row : rows)
    out.push_back(static_cast<double>(steps.list[row].wall_ns()));
  return out;
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double mean_busy(const Partition& process, const Steps& steps,
                 const std::vector<std::uint32_t>& rows) {
  std::int64_t sum = 0;
  for (const std::uint32_t row : rows)
    sum += total_length(clip(process.busy, steps.list[row].window));
  return static_cast<double>(sum) / static_cast<double>(rows.size());
}

double measured_ns(const TaskGraph& graph) {
  double sum = 0;
  for (const SampledStep& step : graph.steps) sum += step.stands_for * step.measured_ns;
  return sum;
}

// Says where the step with the fixes waits for the device longer than it did, and how busy that is.
void say_what_holds(const ReplayedSteps& steps, const Replayed& with, Forecast& out) {
  out.busy_share = with.ns() > 0 ? std::min(1.0, with.busy_ns / with.ns()) : 0;
  out.input_more_ns = std::max(0.0, steps.anchored(with.input_ns - steps.base.input_ns));
  for (const auto& [site, ns] : with.waited_ns) {
    const auto before = steps.base.waited_ns.find(site);
    const double more =
        steps.anchored(ns - (before == steps.base.waited_ns.end() ? 0 : before->second));
    if (site == kNone || more <= out.waits_more_ns) continue;
    out.waits_at = site;
    out.waits_more_ns = more;
  }
}

}  // namespace

struct Simulator::State {
  ReplayedSteps steps;
  double busy_ns = 0;  // a step, as measured
  ReplayCheck check;
  std::string abstained;
  std::vector<std::string> notes;

  // `measured`: the sum of the times of `stood_for` steps, for which the sample stands.
  void check_replay(double measured, std::size_t stood_for);
  void say_what_is_not_known();
  // False: no cost of recording gives the plain step.
  bool take_recording_out(double plain_step_ns);
  void take_unknown_inflation();
};

void Simulator::State::check_replay(double measured, std::size_t stood_for) {
  const auto n = static_cast<double>(stood_for);
  const double replayed = steps.base.ns();
  check = {measured / n, replayed / n, std::abs(replayed - measured) / measured};
  if (check.error <= kLargestReplayError) return;
  abstained = fmt::format(
      "the unchanged steps, replayed, take {} a step where {} was measured ({:.1f} % off), so they "
      "wait for something that the trace does not show",
      format_duration(check.replayed_ns_per_step), format_duration(check.measured_ns_per_step),
      100 * check.error);
}

void Simulator::State::say_what_is_not_known() {
  const std::size_t counted = steps.counted_ns.size();
  if (counted < 2)
    notes.emplace_back(
        "one step counts: how much steps vary is not known, and taken as 3 %; record more of them");
  if (steps.graph.inferred_edges > 0) {
    notes.push_back(fmt::format(
        "{} waits between streams are known by times alone: this format does not say which stream "
        "waits for which",
        steps.graph.inferred_edges));
  }
  if (steps.graph.steps.size() < counted) {
    notes.push_back(
        fmt::format("{} of {} steps are replayed, short and long ones; each stands for the steps "
                    "that took about as long",
                    steps.graph.steps.size(), counted));
  }
}

bool Simulator::State::take_recording_out(double plain_step_ns) {
  TaskGraph recorded = steps.graph;
  const double plain_ns = plain_step_ns * measured_ns(recorded) / steps.anchor_ns;
  const auto deflated = deflate(steps.graph, plain_ns);
  if (!deflated) return false;
  steps.base = replay(steps.graph);
  TaskGraph fast = with_host_times(recorded, 1 / kMostInflation);
  if (replay(fast).ns() >= kDeviceExplains * plain_ns) {
    steps.take_other(std::move(fast), 0.5);
  } else {
    steps.take_other(deflate_in_proportion(recorded, plain_ns), 0);
  }
  steps.anchor_ns = plain_step_ns;
  notes.push_back(
      fmt::format("host times are shortened by {} for each recorded range, so that the replay "
                  "gives the plain step",
                  format_duration(deflated->ns_per_record)));
  return true;
}

void Simulator::State::take_unknown_inflation() {
  steps.take_other(with_host_times(steps.graph, 1 / kMostInflation), 0.5);
  notes.emplace_back(
      "the profiler that wrote this trace stretched its host times by an unknown factor: forecasts "
      "are the middle of what they would be by one and by three; measure the step without it and "
      "pass --plain-step");
}

Result<Simulator> Simulator::build(const Trace& trace, const Steps& steps,
                                   const Attribution& attribution,
                                   const std::vector<std::uint32_t>& counted,
                                   const SimulatorOptions& options) {
  const auto cannot = [](std::string why) {
    return Error{ErrorCode::inconclusive, "cannot be replayed: " + std::move(why)};
  };
  if (counted.empty() || steps.found_by == FoundBy::whole_trace)
    return cannot(
        "no steps were found; name the loop's range or op with --step-marker REGEX, or record "
        "more");
  if (trace.used_device() && (!trace.collected().api_calls || trace.device_ops().size() == 0))
    return cannot("it holds no CUDA calls with the device work that they launched");
  auto state = std::make_shared<State>();
  ReplayedSteps& replayed = state->steps;
  replayed.phases = attribution.phases;
  // The replay is of a loader's steady state: batches that were made before the loop began are not in it.
  const LoaderTakes takes(*attribution.index);
  const std::vector<std::uint32_t> steady =
      from_time_on(steps, counted, made_ahead_until(*attribution.index, takes.all()));
  const StepKinds kinds = kinds_of_steps(attribution, steps, steady);
  replayed.graph = build_graph(*attribution.index, steps, attribution,
                               sample_steps(trace, steps, steady, kinds));
  replayed.counted_ns = times_of(steps, counted);
  replayed.base = replay(replayed.graph);
  const double measured = measured_ns(replayed.graph);
  if (measured <= 0 || replayed.base.ns() <= 0) return cannot("its steps hold no work");
  replayed.anchor_ns = mean_of(replayed.counted_ns);
  state->busy_ns = mean_busy(attribution.process, steps, counted);
  state->check_replay(measured, steady.size());
  state->say_what_is_not_known();
  if (options.plain_step_ns) {
    const auto plain = static_cast<double>(*options.plain_step_ns);
    if (!state->take_recording_out(plain))
      return cannot(fmt::format(
          "no cost of recording takes its step of {} to the plain step of {} that was given",
          format_duration(replayed.anchor_ns), format_duration(plain)));
  } else if (attribution.inflated) {
    state->take_unknown_inflation();
  }
  return Simulator(std::move(state));
}

const ReplayCheck& Simulator::check() const {
  return state_->check;
}
double Simulator::anchor_ns_per_step() const {
  return state_->steps.anchor_ns;
}
std::size_t Simulator::steps_replayed() const {
  return state_->steps.graph.steps.size();
}
const std::vector<std::string>& Simulator::notes() const {
  return state_->notes;
}
const std::string& Simulator::abstained() const {
  return state_->abstained;
}
std::vector<Fix> Simulator::candidates() const {
  return candidate_fixes(state_->steps.graph);
}
std::size_t Simulator::touches(const Fix& fix) const {
  return state_->steps.touched_by(fix);
}
double Simulator::expected_ns_per_step(std::span<const Fix> fixes) const {
  const ReplayedSteps& steps = state_->steps;
  return steps.expected(steps.by_both(steps.with(fixes, Luck::expected), fixes), fixes);
}
double Simulator::busy_ns_per_step() const {
  return state_->busy_ns;
}

Forecast Simulator::forecast(std::span<const Fix> fixes) const {
  const ReplayedSteps& steps = state_->steps;
  FixedSteps expected = steps.with(fixes, Luck::expected);
  const FixedSteps good = steps.with(fixes, Luck::good);
  const FixedSteps bad = steps.with(fixes, Luck::bad);
  Forecast out;
  const double raw = steps.by_both(expected, fixes);
  out.ns_per_step = steps.expected(raw, fixes);
  std::vector<double> all = {out.ns_per_step, raw, steps.anchored(expected.replayed.ns()),
                             steps.anchored(good.replayed.ns()), steps.anchored(bad.replayed.ns())};
  for (const Luck luck : {Luck::expected, Luck::good, Luck::bad})
    if (steps.other) all.push_back(steps.other_ns(fixes, luck));
  // Bad luck adds its cost over the plain replay to the time that is expected.
  all.push_back(out.ns_per_step + std::max(0.0, steps.anchored(bad.replayed.ns()) - raw));
  const double low = *std::min_element(all.begin(), all.end());
  const double high = *std::max_element(all.begin(), all.end());
  const double spread = spread_ns(steps, expected, state_->check.error);
  const double below = std::hypot(out.ns_per_step - low, spread) - (out.ns_per_step - low);
  out.low_ns_per_step = low * low / (low + below);  // never nothing
  out.high_ns_per_step = out.ns_per_step + std::hypot(high - out.ns_per_step, spread);
  out.ceiling_ns_per_step = std::min(
      out.low_ns_per_step, steps.anchored(std::max(good.replayed.busy_ns, steps.host_ns(fixes))));
  say_what_holds(steps, expected.replayed, out);
  out.assumptions = std::move(expected.assumptions);
  if (out.ns_per_step > raw)
    out.assumptions.push_back(fmt::format(
        "the replay gives {}, with other work of the same lines: what the finding explains is "
        "expected, the rest is possible",
        format_duration(raw)));
  if (expected.touched == 0)
    out.assumptions.emplace_back(
        "nothing in the replayed steps matches the fix: it changes nothing. What a finding of the "
        "report proposes has the finding's name, such as --fix unfused_optimizer");
  out.assumptions.insert(out.assumptions.end(), state_->notes.begin(), state_->notes.end());
  out.abstained = state_->abstained;
  return out;
}

}  // namespace stepscope
