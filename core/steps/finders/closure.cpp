// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "core/steps/finders/finders.hpp"
#include "core/steps/finders/marks.hpp"
#include "core/steps/shares.hpp"

namespace stepscope {
namespace {

constexpr double kSurest = 0.9;  // as optimizer steps

bool clears_gradients(std::string_view name) {
  return name.starts_with("Optimizer.zero_grad#");
}

// The calls within one step of an optimizer, each until the next one.
void add_calls(const Activity& activity, const std::vector<RangeId>& clears, Interval step,
               Loop& loop) {
  const auto from = loop.steps.size();
  for (const RangeId clear : clears) {
    const Interval time = activity.time(clear);
    if (activity.thread(clear) != loop.thread || !step.contains(time.begin)) continue;
    if (loop.steps.size() > from) loop.steps.back().time.end = time.begin;
    loop.steps.push_back({static_cast<std::int64_t>(loop.steps.size()), {time.begin, step.end}});
  }
}

}  // namespace

Loop find_closure_calls(const Activity& activity) {
  const std::vector<RangeId> scopes = activity.annotations_that(is_optimizer_step);
  const std::vector<RangeId> clears = activity.annotations_that(clears_gradients);
  if (scopes.empty() || clears.size() < kFewestRepeats) return {};
  const MarkedThread marks = choose_thread(activity, scopes);
  Loop loop{.found_by = FoundBy::optimizer, .thread = marks.thread};
  for (const RangeId scope : marks.ranges) add_calls(activity, clears, activity.time(scope), loop);
  const std::size_t steps = marks.ranges.size();
  if (loop.steps.size() < std::max(kFewestRepeats, 2 * steps)) return {};
  loop.confidence = kSurest * activity.share_in(loop.time());
  loop.how =
      fmt::format("{} calls of the closure that the optimizer evaluates in {}", loop.steps.size(),
                  steps == 1 ? "its one step" : fmt::format("its {} steps", steps));
  return loop;
}

}  // namespace stepscope
