// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "core/steps/finders/finders.hpp"
#include "core/steps/shares.hpp"

namespace stepscope {
namespace {

constexpr double kNoClaim = 0.1;

constexpr std::array kFinders = {find_profiler_steps,  find_named_ranges,    find_nest_steps,
                                 find_optimizer_steps, find_executable_runs, find_data_loader_steps,
                                 find_period,          find_counted_loops,   find_sampled_lines,
                                 find_whole_trace};

// A range that the program entered once, with nearly all of the work in it.
bool is_in_one_range(const Activity& activity, const Loop& loop) {
  return std::any_of(activity.annotations.begin(), activity.annotations.end(), [&](RangeId range) {
    const Interval time = activity.time(range);
    return is_at_least(kNearlyAll, intersect(time, loop.time()).length(), loop.time().length()) &&
           activity.share_in(time) >= kNearlyAll;
  });
}

// A repeat within one range that the program enters (its one marked step) is no step itself, unless
// something says so. Nor is one amid other work where nothing is marked: a model's layers between its
// embedding and its head.
bool repeats_in_a_step(const Activity& activity, const Loop& loop, const Loop& best) {
  if (!loop.may_be_parts) return false;
  if (best.steps.empty() && loop.amid_others) return true;
  return best.steps.size() < 2 && is_in_one_range(activity, loop);
}

// Optimizers of which one steps once, within the program's one mark, are that mark's.
bool is_the_marked_step(const Loop& loop, const Loop& best) {
  return loop.is_uneven && best.steps.size() == 1 &&
         is_at_least(kNearlyAll, intersect(best.time(), loop.time()).length(),
                     loop.time().length());
}

bool is_one_mark(const Loop& loop) {
  return loop.found_by == FoundBy::profiler_step && loop.steps.size() == 1;
}

std::string mark_text(const Loop& mark) {
  return fmt::format(
      "these lie in {}: if that is one iteration of the program, --step-marker '^ProfilerStep' "
      "makes it the step",
      mark.how);
}

std::string repeats_text(const Loop& loop) {
  if (loop.runs_once)
    return fmt::format(
        "what repeats in it ({}) does so within statements that no loop of the program runs again, "
        "such as model.to(device) or a first iteration that does not end: it holds no whole step. "
        "To read repeats as steps, name a range around one with --step-marker",
        loop.how);
  return fmt::format(
      "what repeats in it (a {}) is taken for parts of a step, such as layers of a model: no "
      "repeat steps an optimizer or copies anything from or to the host. To read repeats as steps, "
      "name a range around one with --step-marker",
      loop.how);
}

}  // namespace

Interval Loop::time() const {
  return steps.empty() ? Interval{} : Interval{steps.front().time.begin, steps.back().time.end};
}

Interval Loop::stretch(std::size_t step) const {
  return {step == 0 ? steps[0].time.begin : steps[step - 1].time.end, steps[step].time.end};
}

Loop find_loop(const Activity& activity) {
  Loop best;
  std::string left_out, repeats;
  for (const auto find : kFinders) {
    Loop loop = find(activity);
    if (!loop.divides) left_out = loop.how;
    if (loop.runs_once || repeats_in_a_step(activity, loop, best)) {
      repeats = repeats_text(loop);
      continue;
    }
    if (is_the_marked_step(loop, best)) continue;
    if (loop.found() && loop.confidence > best.confidence) {
      if (is_one_mark(best)) loop.notes.push_back(mark_text(best));
      best = std::move(loop);
    }
    if (best.steps.size() >= 2 && best.confidence >= kGoodEnough) break;
  }
  if (!left_out.empty() && best.divides)
    best.notes.push_back(
        left_out +
        " are left out: one of them holds nearly all of the work, so they divide no loop");
  if (!repeats.empty() && best.steps.size() < 2) best.notes.push_back(std::move(repeats));
  return best;
}

// Its device may work on long after its host fell silent.
Loop find_whole_trace(const Activity& activity) {
  const Interval device = device_extent(*activity.trace, activity.process);
  Interval time = activity.host;
  if (!device.empty()) time = {std::min(time.begin, device.begin), std::max(time.end, device.end)};
  return {.found_by = FoundBy::whole_trace,
          .confidence = kNoClaim,
          .how =
              "no marks, no optimizer and no period of at least three repeats: the whole trace "
              "is one window and no step time is claimed; name a range with --step-marker",
          .thread = busiest_thread(*activity.trace, activity.process),
          .steps = {{0, time}}};
}

}  // namespace stepscope
