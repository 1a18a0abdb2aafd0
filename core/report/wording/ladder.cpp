// SPDX-License-Identifier: Apache-2.0
#include "core/report/wording/ladder.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/report/wording/numbers.hpp"

namespace stepscope {
namespace {

const LadderRung* first_that_ran(const Ladder& ladder) {
  const auto found =
      std::find_if(ladder.rungs.begin(), ladder.rungs.end(),
                   [](const LadderRung& rung) { return rung.effect != Effect::failed; });
  return found == ladder.rungs.end() ? nullptr : &*found;
}

const LadderRung* last_that_ran(const Ladder& ladder) {
  const auto found =
      std::find_if(ladder.rungs.rbegin(), ladder.rungs.rend(),
                   [](const LadderRung& rung) { return rung.effect != Effect::failed; });
  return found == ladder.rungs.rend() ? nullptr : &*found;
}

const LadderRung* fastest_rung(const Ladder& ladder) {
  const auto slower = [](const LadderRung& a, const LadderRung& b) {
    return a.tokens_per_s.value < b.tokens_per_s.value;
  };
  return &*std::max_element(ladder.rungs.begin(), ladder.rungs.end(), slower);
}

std::string facts_of_runs(const Ladder& ladder) {
  std::string out = ladder.model;
  if (!ladder.preset.empty()) out += " " + ladder.preset;
  if (!ladder.device.empty()) out += " on " + ladder.device;
  return out + fmt::format(", {} repeat{} of {} timed steps", ladder.repeats,
                           ladder.repeats == 1 ? "" : "s", ladder.timed_steps);
}

std::string signed_time(std::int64_t ns, const TimeUnit& unit) {
  return fmt::format("{:+.{}f}", static_cast<double>(ns) / unit.ns, unit.decimals);
}

}  // namespace

std::string ladder_facts(const Ladder& ladder) {
  return facts_of_runs(ladder) +
         fmt::format(", {} tokens a step", format_exact(ladder.tokens_a_step));
}

std::string orders_sentence(const RungOrders& orders) {
  const LadderRung* first = first_that_ran(orders.subsets);
  if (first == nullptr) return "no subset ran";
  if (orders.rungs.empty()) return "not every subset ran: nothing can be shared out";
  return fmt::format("{} {} tokens/s to {} rungs more {}: {}", orders.base.id,
                     format_count(first->tokens_per_s.value), orders.rungs.size(),
                     format_count(orders.subsets.rungs.back().tokens_per_s.value),
                     format_ratio(orders.in_all));
}

std::string sweep_ratio_title(const LadderSweep& sweep) {
  const std::vector<LadderRung>& rungs = sweep.points.front().ladder.rungs;
  return fmt::format("{} over {}", rungs.back().rung.id, rungs.front().rung.id);
}

std::string sweep_sentence(const LadderSweep& sweep) {
  std::string out;
  for (const SweepPoint* point : {&sweep.points.front(), &sweep.points.back()}) {
    const auto& gain = point->ladder.rungs.back().in_all;
    if (!gain || (!out.empty() && sweep.points.size() == 1)) continue;
    out += fmt::format("{}{:.3f}x at {}{}", out.empty() ? "" : ", ", gain->value,
                       out.empty() ? "micro-batch " : "", point->micro_batch);
  }
  return sweep_ratio_title(sweep) + ": " + (out.empty() ? "did not run" : out);
}

std::string sweep_facts(const LadderSweep& sweep) {
  for (const SweepPoint& point : sweep.points)
    if (point.ladder.repeats > 0) return facts_of_runs(point.ladder);
  return "no run ended well";
}

std::string ladder_sentence(const Ladder& ladder) {
  const LadderRung* first = first_that_ran(ladder);
  const LadderRung* last = last_that_ran(ladder);
  if (first == nullptr) return "no rung ran";
  const std::string from =
      fmt::format("{} {} tokens/s", first->rung.id, format_count(first->tokens_per_s.value));
  if (first == last) return from;
  const std::string whole =
      fmt::format("{} to {} {}: {}", from, last->rung.id, format_count(last->tokens_per_s.value),
                  format_ratio(last->in_all));
  const LadderRung* fastest = fastest_rung(ladder);
  if (fastest == last || fastest == first) return whole;
  return fmt::format("{}; the fastest is {} with {}: {:.3f}x", whole, fastest->rung.id,
                     format_count(fastest->tokens_per_s.value), fastest->in_all->value);
}

std::string format_ratio(const std::optional<RepeatedMean>& ratio) {
  if (!ratio) return "";
  if (!ratio->low || !ratio->high) return fmt::format("{:.3f}x", ratio->value);
  return fmt::format("{:.3f}x ({:.3f} to {:.3f})", ratio->value, *ratio->low, *ratio->high);
}

std::string format_spread(const RepeatedMean& estimate, bool unicode) {
  if (!estimate.high || estimate.value <= 0) return "";
  const double reach = *estimate.high / estimate.value - 1;
  if (reach > 1) return "over 2x";
  return (unicode ? "\u00b1" : "+-") + fmt::format("{:.{}f} %", 100 * reach, reach < 0.1 ? 1 : 0);
}

std::string format_rate_range(const RepeatedMean& rate) {
  if (!rate.low || !rate.high) return "";
  return format_count(*rate.low) + " to " + format_count(*rate.high);
}

std::string format_parity(const LossParity& parity) {
  const std::string share = fmt::format("{:.2f} %", 100 * parity.largest_difference);
  return parity.within ? share : fmt::format("{} at step {}", share, parity.at_step);
}

std::string changes_sentence(const ProfiledStep& step, std::size_t most) {
  const TimeUnit unit = unit_for_step(static_cast<double>(step.wall_ns));
  std::string out;
  const std::size_t shown =
      step.changes.size() <= most + 1 ? step.changes.size() : most;  // "1 smaller" helps nobody
  for (std::size_t i = 0; i < shown; ++i)
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", name_of(step.changes[i].cause),
                       signed_time(step.changes[i].ns, unit));
  if (shown == step.changes.size()) return out;
  std::int64_t rest = 0;
  for (std::size_t i = shown; i < step.changes.size(); ++i) rest += step.changes[i].ns;
  return out + fmt::format(", {} smaller {}", step.changes.size() - shown, signed_time(rest, unit));
}

}  // namespace stepscope
