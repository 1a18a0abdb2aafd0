// SPDX-License-Identifier: Apache-2.0
#include "core/steps/capture_gaps.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/support/duration.hpp"

namespace stepscope {
namespace {

struct Change {
  std::int64_t time;
  bool on;
};

std::vector<Change> changes_of(const Trace& trace, ProcessId process) {
  const Counters& counters = trace.data().counters;
  std::vector<Change> changes;
  for (std::size_t row = 0; row < counters.size(); ++row) {
    if (counters.process[row] != process || trace.text(counters.track[row]) != kCaptureTrack)
      continue;
    changes.push_back({counters.time[row], counters.value[row] > 0});
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const Change& a, const Change& b) { return a.time < b.time; });
  return changes;
}

bool reaches_into(const IntervalSet& gaps, Interval time) {
  return std::any_of(gaps.begin(), gaps.end(),
                     [&](const Interval& gap) { return !intersect(gap, time).empty(); });
}

// The last step that ends before the gap begins.
Step* step_before(Steps& steps, const Interval& gap) {
  const auto after =
      std::partition_point(steps.list.begin(), steps.list.end(),
                           [&](const Step& step) { return step.host.end <= gap.begin; });
  return after == steps.list.begin() ? nullptr : &*(after - 1);
}

void set_aside(Step& step, const char* why) {
  step.steady = false;
  step.why_not_steady = why;
}

}  // namespace

IntervalSet capture_gaps(const Trace& trace, ProcessId process) {
  IntervalSet gaps;
  bool open = true;
  std::int64_t closed_at = 0;
  for (const Change& change : changes_of(trace, process)) {
    if (change.on == open) continue;
    if (change.on) gaps.push_back({closed_at, change.time});
    closed_at = change.time;
    open = change.on;
  }
  if (!open) gaps.push_back({closed_at, std::max(closed_at, trace.end()) + 1});
  return unite(std::move(gaps));
}

bool is_inside(const IntervalSet& gaps, std::int64_t time) {
  const auto after =
      std::upper_bound(gaps.begin(), gaps.end(), time,
                       [](std::int64_t t, const Interval& gap) { return t < gap.end; });
  return after != gaps.end() && after->contains(time);
}

void close_gaps(const IntervalSet& gaps, Steps& steps) {
  for (Step& step : steps.list) {
    if (reaches_into(gaps, step.window)) step.wall_known = false;
  }
}

void set_gaps_aside(const Trace& trace, const IntervalSet& gaps, Steps& steps) {
  if (gaps.empty()) return;
  for (Step& step : steps.list) {
    if (reaches_into(gaps, step.window)) set_aside(step, "not recorded, by plan");
  }
  if (trace.device_ops().size() > 0) {
    for (const Interval& gap : gaps) {
      Step* before = step_before(steps, gap);
      if (before != nullptr && before->steady)
        set_aside(*before, "its device work may reach into a stretch that was not recorded");
    }
  }
  steps.notes.push_back(fmt::format("{} {} not recorded, by plan: {} together", gaps.size(),
                                    gaps.size() == 1 ? "stretch was" : "stretches were",
                                    format_duration(static_cast<double>(total_length(gaps)))));
}

}  // namespace stepscope
