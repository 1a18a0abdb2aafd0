// SPDX-License-Identifier: Apache-2.0
#include "core/ladder/ladder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/support/statistics.hpp"

namespace stepscope {
namespace {

void sort_largest_first(std::vector<StepPart>& parts) {
  std::stable_sort(parts.begin(), parts.end(), [](const StepPart& a, const StepPart& b) {
    return std::abs(a.ns) > std::abs(b.ns);
  });
}

// Integers that sum to the rounded step.
std::vector<StepPart> parts_a_step(const PartitionSummary& partition, std::int64_t wall_ns) {
  std::vector<double> weights;
  for (const PartSum& part : partition.parts)
    weights.push_back(static_cast<double>(std::max<std::int64_t>(0, part.ns_total)));
  const std::vector<std::int64_t> ns = largest_remainder(wall_ns, weights);
  std::vector<StepPart> out;
  for (std::size_t i = 0; i < ns.size(); ++i) out.push_back({partition.parts[i].cause, ns[i]});
  sort_largest_first(out);
  return out;
}

std::vector<StepPart> changes_of(const ProfiledStep& below, const ProfiledStep& step) {
  PerCause<std::int64_t> change{};
  for (const StepPart& part : step.parts) change[index_of(part.cause)] += part.ns;
  for (const StepPart& part : below.parts) change[index_of(part.cause)] -= part.ns;
  std::vector<StepPart> out;
  for (std::size_t i = 0; i < kCauseCount; ++i)
    if (change[i] != 0) out.push_back({static_cast<Cause>(i), change[i]});
  sort_largest_first(out);
  return out;
}

ProfiledStep profiled_step(const Summary& summary, const ProfiledStep* below) {
  ProfiledStep out;
  const PartitionSummary& partition = summary.partition;
  out.wall_ns = std::llround(partition.wall_ns_per_step());
  out.steps_counted = partition.steps_counted;
  out.bound = partition.bound;
  out.parts = parts_a_step(partition, out.wall_ns);
  if (below != nullptr) out.changes = changes_of(*below, out);
  return out;
}

// Compares losses over the steps that both made. Repeats of one rung train the same, so one run
// stands for it.
LossParity parity_of(const std::vector<double>& first, const std::vector<double>& losses,
                     double tolerance) {
  LossParity out;
  if (!losses.empty()) out.last = losses.back();
  for (std::size_t i = 0; i < std::min(first.size(), losses.size()); ++i) {
    const double difference = std::abs(losses[i] - first[i]) / std::max(1e-9, std::abs(first[i]));
    if (difference <= out.largest_difference) continue;
    out.largest_difference = difference;
    out.at_step = static_cast<std::int64_t>(i) + 1;
  }
  out.within = out.largest_difference <= tolerance && !losses.empty();
  return out;
}

LadderRung measured(const RungRuns& input) {
  LadderRung out{.rung = input.rung, .failure = input.failure};
  std::vector<double> step_ms;
  for (const TrainedRun& run : input.runs) {
    out.rates.push_back(run.tokens_per_s);
    step_ms.push_back(run.ms_per_step);
    out.mfu = std::max(out.mfu, run.mfu);
    out.peak_bytes = std::max(out.peak_bytes, run.peak_bytes);
  }
  out.tokens_per_s = repeated_mean(out.rates);
  out.ms_per_step = repeated_mean(step_ms).value;
  // The MFU of the mean rate, not of the fastest run.
  if (out.mfu > 0) {
    const TrainedRun& run = input.runs.front();
    out.mfu = run.mfu * out.tokens_per_s.value / run.tokens_per_s;
  }
  return out;
}

void add_notes(Ladder& ladder) {
  const auto note = [&](std::string text) { ladder.notes.push_back(std::move(text)); };
  if (ladder.repeats < 2)
    note("one repeat says nothing of its spread: no rung is judged; --repeats 3 or more");
  std::string undecided;
  for (const LadderRung& rung : ladder.rungs)
    if (rung.effect == Effect::undecided)
      undecided += (undecided.empty() ? "" : ", ") + rung.rung.id;
  if (ladder.repeats >= 2 && !undecided.empty())
    note(fmt::format(
        "undecided ({}): {} repeats leave the interval too wide; take more, longer runs "
        "or a quieter machine",
        undecided, ladder.repeats));
  for (std::string& text : notes_of_runs(ladder)) note(std::move(text));
  note(
      "each rung is measured with all below it switched on: in another order a rung brings more or "
      "less");
}

}  // namespace

std::string_view name_of(Effect effect) {
  switch (effect) {
    case Effect::first:
      return "first";
    case Effect::faster:
      return "faster";
    case Effect::slower:
      return "slower";
    case Effect::none:
      return "null";
    case Effect::undecided:
      return "undecided";
    case Effect::failed:
      break;
  }
  return "failed";
}

Effect effect_of(const RepeatedMean& gain, double null_band) {
  if (!gain.low || !gain.high) return Effect::undecided;
  if (*gain.low > 1) return Effect::faster;
  if (*gain.high < 1) return Effect::slower;
  const bool narrow = *gain.low >= 1 - null_band && *gain.high <= 1 + null_band;
  return narrow ? Effect::none : Effect::undecided;
}

std::vector<std::string> notes_of_runs(const Ladder& ladder) {
  std::vector<std::string> notes;
  for (const LadderRung& rung : ladder.rungs) {
    if (!rung.failure.empty()) notes.push_back(rung.rung.id + ": " + rung.failure);
    if (rung.loss && !rung.loss->within)
      notes.push_back(fmt::format(
          "{}: its loss differs from {}'s by {:.2f} % at step {}, the tolerance is "
          "{:.2f} %: it does not train the same",
          rung.rung.id, ladder.rungs.front().rung.id, 100 * rung.loss->largest_difference,
          rung.loss->at_step, 100 * ladder.options.loss_tolerance));
  }
  return notes;
}

bool Ladder::same_losses() const {
  return std::all_of(rungs.begin(), rungs.end(),
                     [](const LadderRung& rung) { return !rung.loss || rung.loss->within; });
}

Ladder make_ladder(std::string model, const std::vector<RungRuns>& inputs,
                   const LadderOptions& options) {
  Ladder ladder{.model = std::move(model), .options = options};
  const RungRuns* first = nullptr;
  std::size_t below = 0;  // the last rung that ran
  const ProfiledStep* step_below = nullptr;
  ladder.rungs.reserve(inputs.size());  // step_below points into it
  for (const RungRuns& input : inputs) {
    ladder.rungs.push_back(measured(input));
    LadderRung& rung = ladder.rungs.back();
    if (input.runs.empty()) continue;
    ladder.repeats = std::max(ladder.repeats, input.runs.size());
    if (first == nullptr) {
      first = &input;
      const TrainedRun& run = input.runs.front();
      ladder.preset = run.preset;
      ladder.device = run.device;
      ladder.tokens_a_step = run.tokens_a_step;
      ladder.timed_steps = run.timed_steps;
      rung.effect = Effect::first;
    } else {
      rung.gain = ratio_of(ladder.rungs[below].rates, rung.rates);
      rung.in_all =
          ratio_of(ladder.rungs[static_cast<std::size_t>(first - inputs.data())].rates, rung.rates);
      rung.effect = effect_of(*rung.gain, options.null_band);
    }
    rung.loss =
        parity_of(first->runs.front().losses, input.runs.front().losses, options.loss_tolerance);
    below = ladder.rungs.size() - 1;
    if (!input.profile || input.profile->partition.steps_counted == 0) continue;
    rung.step = profiled_step(*input.profile, step_below);
    step_below = &*rung.step;
    if (!input.profile->run.device.empty()) ladder.device = input.profile->run.device;
  }
  add_notes(ladder);
  return ladder;
}

}  // namespace stepscope
