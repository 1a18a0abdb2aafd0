// SPDX-License-Identifier: Apache-2.0
#include "core/simulate/simulator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/attribution/scene.hpp"
#include "core/simulate/build_graph.hpp"
#include "core/simulate/candidates.hpp"
#include "core/simulate/edits/edit.hpp"
#include "core/simulate/inflation.hpp"
#include "core/simulate/replay.hpp"
#include "core/simulate/sample.hpp"
#include "core/support/duration.hpp"

namespace stepscope {
namespace {

constexpr double kMostInflation = 3;  // by a profiler with stacks, as measured
// Where the device alone comes so near to the plain step, that step does not tell how fast the host
// is: it may be anything up to three times as fast as recorded.
constexpr double kDeviceExplains = 0.9;
constexpr double kErrorOfGain = 0.06;  // what an edit cannot know of the repaired program, at least
// From one run to the next host work takes longer or shorter by this much (standard deviation), by
// where threads and memory come to lie; the device's work does not. Measured: seven programs whose
// host bounds them, three or four runs each, 6 %; two bound by their device, 0.2 %
// (docs/measurements/forecasts.md).
constexpr double kRunToRun = 0.06;
constexpr double kHostProbe = 0.05;  // host work longer by this much tells what depends on it
constexpr double kNinetyPercentOfTwoRuns = 2.33;  // standard deviations, of a difference of two
constexpr double kUnknownVariation = 0.03;        // of the step, where one step counts

// Standard deviations to both sides of a mean of n values that hold 90 % (Student's t, by the
// expansion of Cornish and Fisher), for another mean of as many.
double ninety_percent(std::size_t n) {
  constexpr double z = 1.6449;
  const double freedom = std::max(1.0, static_cast<double>(n) - 1);
  const double first = (std::pow(z, 3) + z) / (4 * freedom);
  const double second =
      (5 * std::pow(z, 5) + 16 * std::pow(z, 3) + 3 * z) / (96 * freedom * freedom);
  return std::sqrt(2.0) * (z + first + second);
}

double mean_window(const Steps& steps, const std::vector<std::uint32_t>& rows) {
  double sum = 0;
  for (const std::uint32_t row : rows) sum += static_cast<double>(steps.list[row].wall_ns());
  return sum / static_cast<double>(rows.size());
}

double measured_ns(const TaskGraph& graph) {
  double sum = 0;
  for (const SampledStep& step : graph.steps) sum += step.measured_ns;
  return sum;
}

// Of the mean of these values.
double standard_error(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  if (values.size() < 2) return 0;
  double mean = 0;
  for (const double v : values) mean += v / n;
  double squares = 0;
  for (const double v : values) squares += (v - mean) * (v - mean);
  return std::sqrt(squares / (n - 1) / n);
}

}  // namespace

struct Simulator::State {
  TaskGraph graph;
  // What the trace may stand for as well: another account of what recording cost the host.
  struct Other {
    TaskGraph graph;
    double base_ns = 0;
    double weight = 0;  // of it in what is expected; its interval holds both
  };
  std::optional<Other> other;
  std::vector<Phase> phases;
  ReplayCheck check;
  Replayed base;
  double anchor_ns = 0;  // a step
  std::string abstained;
  std::vector<std::string> notes;

  struct Run {
    TaskGraph edited;
    Replayed replayed;
    std::size_t touched = 0;
    std::vector<std::string> assumptions;
  };

  std::size_t apply(std::span<const Fix> fixes, Luck luck, TaskGraph& edited,
                    std::vector<std::string>& assumptions) const {
    std::size_t touched = 0;
    for (const Fix& fix : fixes) {
      const Selection scope(fix.scope, phases);
      Edit edit{edited, fix, scope, luck, assumptions};
      for (const EditRow& row : all_edits()) {
        if (row.kind == fix.kind) row.apply(edit);
      }
      touched += edit.touched;
    }
    return touched;
  }

  Run run_with(std::span<const Fix> fixes, Luck luck) const {
    Run out{.edited = graph};
    out.touched = apply(fixes, luck, out.edited, out.assumptions);
    out.replayed = replay(out.edited);
    return out;
  }

  // Of the step with the fixes, by this graph and by the other.
  double by_both(const Run& run, std::span<const Fix> fixes) const {
    const double ns = anchored(run.replayed.ns());
    return other ? (1 - other->weight) * ns + other->weight * other_ns(fixes, Luck::expected) : ns;
  }

  // Of `ns`, what the replay gives: it is not all expected (Fix::expected_share). Of what such a
  // repair adds to the others, the rest stays in the step.
  double expected(double ns, std::span<const Fix> fixes) const {
    double stays = 0;
    for (std::size_t i = 0, end = 0; i < fixes.size(); i = end) {
      const double share = fixes[i].expected_share;
      while (end < fixes.size() && fixes[end].expected_share == share) ++end;
      if (share >= 1) continue;
      std::vector<Fix> others(fixes.begin(), fixes.end());
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i),
                   others.begin() + static_cast<std::ptrdiff_t>(end));
      const double without =
          others.empty() ? anchor_ns : by_both(run_with(others, Luck::expected), others);
      stays += (1 - share) * std::max(0.0, without - ns);
    }
    return ns + stays;
  }

  double other_ns(std::span<const Fix> fixes, Luck luck) const {
    TaskGraph edited = other->graph;
    std::vector<std::string> ignored;
    apply(fixes, luck, edited, ignored);
    return anchor_ns * replay(edited).ns() / other->base_ns;
  }

  void take_other(TaskGraph alternative, double weight) {
    const double base_ns = replay(alternative).ns();
    other = Other{std::move(alternative), base_ns, weight};
  }

  // With a device that takes no time: what the host alone needs.
  double host_ns(std::span<const Fix> fixes) const {
    TaskGraph edited = graph;
    std::vector<std::string> ignored;
    apply(fixes, Luck::good, edited, ignored);
    for (DeviceTask& op : edited.device) op.ns = 0;
    return replay(edited).ns();
  }

  double anchored(double replayed_ns) const { return anchor_ns * replayed_ns / base.ns(); }

  // How much of the step with the fixes is as long as the host is: all of it where the host holds
  // the step back, although the device works beside it; none where the device does.
  double bound_by_host_ns(const TaskGraph& edited, const Replayed& with) const {
    const double slower = replay(with_host_times(edited, 1 + kHostProbe)).ns();
    return std::max(0.0, anchored(slower - with.ns()) / kHostProbe);
  }

  void say_what_holds(const Replayed& with, Forecast& out) const {
    out.busy_share = with.ns() > 0 ? with.busy_ns / with.ns() : 0;
    for (const auto& [site, ns] : with.waited_ns) {
      const auto before = base.waited_ns.find(site);
      const double more = anchored(ns - (before == base.waited_ns.end() ? 0 : before->second));
      if (site == kNone || more <= out.waits_more_ns) continue;
      out.waits_at = site;
      out.waits_more_ns = more;
    }
  }

  // 90 % of what step-to-step variation and the replay's own error leave open.
  double spread(const Run& run) const {
    const Replayed& with = run.replayed;
    std::vector<double> gains;
    std::vector<double> measured;
    for (std::size_t i = 0; i < with.step_ns.size(); ++i) {
      gains.push_back(base.step_ns[i] - with.step_ns[i]);
      measured.push_back(graph.steps[i].measured_ns);
    }
    const double scale = anchor_ns * static_cast<double>(graph.steps.size()) / base.ns();
    const double gain = std::abs(1 - with.ns() / base.ns()) * anchor_ns;
    const double t = ninety_percent(measured.size());
    const double remains = with.ns() / base.ns();
    const double varies = measured.size() < 2 ? kUnknownVariation * anchor_ns * remains : 0;
    const double parts[] = {
        t * standard_error(gains) * scale, t * standard_error(measured) * remains,
        std::max(check.error, kErrorOfGain) * gain, varies,
        kNinetyPercentOfTwoRuns * kRunToRun * bound_by_host_ns(run.edited, with)};
    double squares = 0;
    for (const double part : parts) squares += part * part;
    return std::sqrt(squares);
  }
};

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
  if (attribution.scene == nullptr) return cannot("its attribution kept no edges");
  if (trace.used_device() && (!trace.collected().api_calls || trace.device_ops().size() == 0))
    return cannot("it holds no CUDA calls with the device work that they launched");
  auto state = std::make_shared<State>();
  state->phases = attribution.phases;
  state->graph =
      build_graph(*attribution.scene, steps, attribution, sample_steps(trace, steps, counted));
  state->base = replay(state->graph);
  const double measured = measured_ns(state->graph);
  const auto n = static_cast<double>(state->graph.steps.size());
  if (measured <= 0 || state->base.ns() <= 0) return cannot("its steps hold no work");
  state->check = {measured / n, state->base.ns() / n,
                  std::abs(state->base.ns() - measured) / measured};
  state->anchor_ns = mean_window(steps, counted);
  if (state->check.error > kLargestReplayError) {
    state->abstained = fmt::format(
        "the replay of the unchanged steps gives {} a step where {} was measured, off by {:.1f} %: "
        "what the trace tells is not all that the steps wait for",
        format_duration(state->check.replayed_ns_per_step),
        format_duration(state->check.measured_ns_per_step), 100 * state->check.error);
  }
  if (counted.size() < 2)
    state->notes.emplace_back(
        "one step counts: how much steps vary is not known, and taken as 3 %; record more of them");
  if (state->graph.inferred_edges > 0) {
    state->notes.push_back(fmt::format(
        "{} waits between streams are told by times alone: this format does not say which stream "
        "waits for which",
        state->graph.inferred_edges));
  }
  if (state->graph.steps.size() < counted.size()) {
    state->notes.push_back(fmt::format(
        "{} of {} steps are replayed, chosen at equal shares of the steps ordered by their time",
        state->graph.steps.size(), counted.size()));
  }
  if (options.plain_step_ns) {
    TaskGraph recorded = state->graph;
    const auto plain = static_cast<double>(*options.plain_step_ns);
    const double plain_ns = plain * measured / state->anchor_ns;
    const auto deflated = deflate(state->graph, plain_ns);
    if (!deflated)
      return cannot(fmt::format(
          "no cost of recording takes its step of {} to the plain step of {} that was given",
          format_duration(state->anchor_ns), format_duration(plain)));
    state->base = replay(state->graph);
    TaskGraph fast = with_host_times(recorded, 1 / kMostInflation);
    if (replay(fast).ns() >= kDeviceExplains * plain_ns) {
      state->take_other(std::move(fast), 0.5);
    } else {
      state->take_other(deflate_in_proportion(recorded, plain_ns), 0);
    }
    state->anchor_ns = plain;
    state->notes.push_back(
        fmt::format("host times are shortened by {} for each recorded range, so that the replay "
                    "gives the plain "
                    "step",
                    format_duration(deflated->ns_per_record)));
  } else if (attribution.inflated) {
    state->take_other(with_host_times(state->graph, 1 / kMostInflation), 0.5);
    state->notes.push_back(
        "the profiler that wrote this trace stretched its host times by an unknown factor: "
        "forecasts "
        "are the middle of what they would be by one and by three; measure the step without it and "
        "pass --plain-step");
  }
  return Simulator(std::move(state));
}

const ReplayCheck& Simulator::check() const {
  return state_->check;
}
double Simulator::anchor_ns_per_step() const {
  return state_->anchor_ns;
}
std::size_t Simulator::steps_replayed() const {
  return state_->graph.steps.size();
}
const std::vector<std::string>& Simulator::notes() const {
  return state_->notes;
}
const std::string& Simulator::abstained() const {
  return state_->abstained;
}
std::vector<Fix> Simulator::candidates() const {
  return candidate_fixes(state_->graph);
}
double Simulator::expected_ns_per_step(std::span<const Fix> fixes) const {
  const State& s = *state_;
  return s.expected(s.by_both(s.run_with(fixes, Luck::expected), fixes), fixes);
}
double Simulator::busy_ns_per_step() const {
  return state_->anchored(state_->base.busy_ns);
}

std::size_t Simulator::touches(const Fix& fix) const {
  TaskGraph edited = state_->graph;
  std::vector<std::string> ignored;
  return state_->apply({&fix, 1}, Luck::expected, edited, ignored);
}

Forecast Simulator::forecast(std::span<const Fix> fixes) const {
  const State& s = *state_;
  State::Run expected = s.run_with(fixes, Luck::expected);
  const State::Run good = s.run_with(fixes, Luck::good);
  const State::Run bad = s.run_with(fixes, Luck::bad);
  Forecast out;
  const double raw = s.by_both(expected, fixes);
  out.ns_per_step = s.expected(raw, fixes);
  std::vector<double> all = {out.ns_per_step, raw, s.anchored(expected.replayed.ns()),
                             s.anchored(good.replayed.ns()), s.anchored(bad.replayed.ns())};
  for (const Luck luck : {Luck::expected, Luck::good, Luck::bad})
    if (s.other) all.push_back(s.other_ns(fixes, luck));
  // What is not expected is no bad luck either: that comes on top.
  all.push_back(out.ns_per_step + std::max(0.0, s.anchored(bad.replayed.ns()) - raw));
  const double low = *std::min_element(all.begin(), all.end());
  const double high = *std::max_element(all.begin(), all.end());
  const double spread = s.spread(expected);
  const double below = std::hypot(out.ns_per_step - low, spread) - (out.ns_per_step - low);
  out.low_ns_per_step = low * low / (low + below);  // never nothing
  out.ceiling_ns_per_step =
      std::min(out.low_ns_per_step, s.anchored(std::max(good.replayed.busy_ns, s.host_ns(fixes))));
  s.say_what_holds(expected.replayed, out);
  out.high_ns_per_step = out.ns_per_step + std::hypot(high - out.ns_per_step, spread);
  out.assumptions = std::move(expected.assumptions);
  if (out.ns_per_step > raw)
    out.assumptions.push_back(fmt::format(
        "the replay gives {}, with other work of the same lines: what the finding explains is "
        "expected, the rest is possible",
        format_duration(raw)));
  if (expected.touched == 0)
    out.assumptions.emplace_back(
        "nothing in the replayed steps matches the fix: it changes nothing");
  out.assumptions.insert(out.assumptions.end(), s.notes.begin(), s.notes.end());
  out.abstained = s.abstained;
  return out;
}

}  // namespace stepscope
