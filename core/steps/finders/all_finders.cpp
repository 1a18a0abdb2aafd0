// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>

#include "core/steps/finders/finders.hpp"

namespace stepscope {
namespace {

constexpr double kNoClaim = 0.1;

constexpr std::array kFinders = {find_profiler_steps,  find_named_ranges,    find_nest_steps,
                                 find_optimizer_steps, find_executable_runs, find_data_loader_steps,
                                 find_period,          find_counted_loops,   find_sampled_lines,
                                 find_whole_trace};

}  // namespace

Interval Loop::time() const {
  return steps.empty() ? Interval{} : Interval{steps.front().time.begin, steps.back().time.end};
}

Interval Loop::stretch(std::size_t step) const {
  return {step == 0 ? steps[0].time.begin : steps[step - 1].time.end, steps[step].time.end};
}

Loop find_loop(const Activity& activity) {
  Loop best;
  std::string left_out;
  for (const auto find : kFinders) {
    Loop loop = find(activity);
    if (!loop.divides) left_out = loop.how;
    if (loop.found() && loop.confidence > best.confidence) best = std::move(loop);
    if (best.steps.size() >= 2 && best.confidence >= kGoodEnough) break;
  }
  if (!left_out.empty() && best.divides)
    best.notes.push_back(
        left_out +
        " are left out: one of them holds nearly all of the work, so they divide no loop");
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
