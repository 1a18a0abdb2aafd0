// SPDX-License-Identifier: Apache-2.0
#include "core/steps/finders/profiler_step.hpp"

#include <fmt/format.h>

#include "core/steps/finders/marks.hpp"

namespace stepscope {

Loop find_profiler_steps(const Activity& activity) {
  std::vector<RangeId> ranges;
  for (RangeId range : activity.annotations) {
    if (activity.name(range).starts_with("ProfilerStep#")) ranges.push_back(range);
  }
  if (ranges.empty()) return {};
  const MarkedThread marks = choose_thread(activity, ranges);
  Loop loop{.found_by = FoundBy::profiler_step,
            .how = fmt::format("{} ProfilerStep# marks on {}", marks.ranges.size(),
                               thread_text(*activity.trace, marks.thread)),
            .thread = marks.thread,
            .steps = steps_of(activity, marks.ranges)};
  loop.last_complete = !outlast_the_next(activity, marks.ranges);
  if (!loop.last_complete) loop.notes.push_back(kMarksOutlast);
  note_crossing(marks.crossing, loop.notes);
  // Work between marks counts to the next step, so what matters is what lies outside all of them.
  const double covered = activity.share_in(loop.time());
  loop.confidence = loop.steps.size() >= 2 ? confidence_of_division(activity, loop.steps, covered)
                                           : 0.4 * covered;
  loop.divides = loop.steps.size() < 2 || loop.confidence == covered;
  return loop;
}

}  // namespace stepscope
