// SPDX-License-Identifier: Apache-2.0
#include "core/steps/unusual/warm_up.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/steps/rows.hpp"
#include "core/steps/unusual/explain.hpp"
#include "core/steps/unusual/levels.hpp"
#include "core/steps/unusual/long_rule.hpp"
#include "core/support/duration.hpp"

namespace stepscope {
namespace {

constexpr double kSlowedBy = 1.2;
constexpr std::size_t kOneIn = 20;
constexpr std::size_t kFewSlow = 3;
constexpr std::size_t kFewest = 4;  // steps from which on a median means something

class WarmUpRule {
 public:
  WarmUpRule(Steps& steps, const Explanations& explanations)
      : steps_(steps),
        explanations_(explanations),
        later_(std::max<std::size_t>(1, steps.list.size() / 2)),
        level_(long_rule(walls_from(steps, later_), steps.begin_error_ns)) {
    for (std::size_t k = later_; k < steps.list.size(); ++k) {
      if (step(k).wall_known && excess(k) > 0)
        excesses_.emplace_back(excess(k), explanations.of(k, excess(k)));
    }
  }

  void apply() {
    steps_.warm_up.steps = 1;
    set_aside(steps_.list.front(), "first step");
    if (walls_from(steps_, later_).empty()) return;
    std::uint64_t& k = steps_.warm_up.steps;
    while (2 * k < steps_.list.size() && is_warm_up(k)) ++k;
    steps_.warm_up.why = why();
  }

 private:
  const Step& step(std::size_t k) const { return steps_.list[k]; }
  double times(std::size_t k) const { return level_.times_median(step(k).wall_ns()); }
  std::int64_t excess(std::size_t k) const { return step(k).wall_ns() - level_.median_ns; }

  bool is_warm_up(std::size_t k) {
    if (!step(k).wall_known) return false;
    if (explanations_.compiles(k) && times(k) > kSlowedBy) {
      set_aside(steps_.list[k],
                fmt::format("compilation or module loads: {:.1f}x the median of the later steps",
                            times(k)));
      ++compiling_;
      return true;
    }
    if (!is_slow(k) || slow_ >= std::max(kFewSlow, steps_.list.size() / 10)) return false;
    set_aside(steps_.list[k],
              fmt::format("warm-up: {:.1f}x the median of the later steps", times(k)));
    ++slow_;
    return true;
  }

  bool is_slow(std::size_t k) const { return level_.is_long(step(k).wall_ns()) && !comes_again(k); }

  bool comes_again(std::size_t k) const {
    const std::string reason = explanations_.of(k, excess(k));
    const auto alike = std::count_if(excesses_.begin(), excesses_.end(), [&](const auto& later) {
      return 2 * later.first >= excess(k) && later.second == reason;
    });
    const std::size_t seldom = (steps_.list.size() - later_) / kOneIn;
    return static_cast<std::size_t>(alike) >= std::max<std::size_t>(1, seldom);
  }

  std::string why() const {
    std::string out = "the first one's begin is a guess";
    const auto add = [&out](std::size_t count, std::string_view one, std::string_view many) {
      if (count > 0) out += fmt::format(", {} {}", count, count == 1 ? one : many);
    };
    add(compiling_, "compiles or loads modules", "compile or load modules");
    add(slow_, "is slow as few later ones are", "are slow as few later ones are");
    const std::size_t end = steps_.warm_up.steps;
    if (end >= steps_.list.size() || !step(end).wall_known || steps_.list.size() < kFewest)
      return out;
    return out + fmt::format("; step {} takes {:.2f}x the median of the run's second half ({}) {}",
                             step(end).id, times(end),
                             format_duration(static_cast<double>(level_.median_ns)),
                             why_it_ends(end));
  }

  std::string_view why_it_ends(std::size_t end) const {
    if (!level_.is_long(step(end).wall_ns())) return "and ends it";
    if (2 * end >= steps_.list.size()) return "and counts: warm-up is at most half of the steps";
    if (comes_again(end)) return "and counts: later steps are as slow";
    return "and counts: slow for longer than a tenth of the steps is how the loop runs";
  }

  Steps& steps_;
  const Explanations& explanations_;
  std::size_t later_ = 0;  // the second half's first row
  LongRule level_;         // rule of the second half
  std::vector<std::pair<std::int64_t, std::string>>
      excesses_;  // excesses of its steps, with reasons
  std::size_t compiling_ = 0, slow_ = 0;
};

// Something must stand for the run: the first step where no other can.
void keep_one(Steps& steps) {
  if (steps.steady_count() > 0 || !steps.list.front().wall_known) return;
  steps.list.front().steady = true;
  steps.list.front().why_not_steady.clear();
  steps.warm_up = {};
  if (steps.found_by == FoundBy::whole_trace) return;
  steps.notes.emplace_back(
      "only the first step has a known wall time: it is kept although its begin is a guess");
}

}  // namespace

void end_warm_up(const Activity& activity, Steps& steps) {
  if (steps.list.empty()) return;
  const Explanations explanations(activity, steps);
  for (std::size_t k = 0; k < steps.list.size(); ++k)
    steps.list[k].compile_ns = explanations.compile_ns(k);
  WarmUpRule(steps, explanations).apply();
  if (!steps.list.back().wall_known)
    set_aside(steps.list.back(), "the trace ends before its work does");
  keep_one(steps);
  for (std::size_t k = 0; k < steps.warm_up.steps; ++k)
    if (steps.list[k].wall_known) steps.warm_up.wall_ns += steps.list[k].wall_ns();
  note_levels(steps);
  note_long_steps(explanations, steps);
}

}  // namespace stepscope
