// SPDX-License-Identifier: Apache-2.0
#include "core/steps/capture_gaps.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/model/losses.hpp"
#include "core/steps/rows.hpp"
#include "core/support/duration.hpp"

namespace stepscope {
namespace {

constexpr double kWhole = 1;

// A gap begins where a step's mark ended, up to the error of clocks.
constexpr std::int64_t kSlack_ns = 2'000;

// The first gap that ends behind `time`: gaps are disjoint and in order.
IntervalSet::const_iterator first_behind(const IntervalSet& gaps, std::int64_t time) {
  return std::upper_bound(gaps.begin(), gaps.end(), time,
                          [](std::int64_t t, const Interval& gap) { return t < gap.end; });
}

bool any_reaches_into(const IntervalSet& gaps, Interval time) {
  const auto first = first_behind(gaps, time.begin);
  return first != gaps.end() && !intersect(*first, time).empty();
}

bool has_gap_inside(const IntervalSet& gaps, const Step& step) {
  return any_reaches_into(gaps, {step.host.begin + kSlack_ns, step.host.end - kSlack_ns});
}

bool has_gap_before(const IntervalSet& gaps, const Steps& steps, std::size_t k) {
  if (k == 0) return false;
  return any_reaches_into(gaps, {steps.list[k - 1].host.end, steps.list[k].host.begin + kSlack_ns});
}

// A period ends where the next one begins: its work is over before a gap that comes shortly before.
void end_before_gaps(const IntervalSet& gaps, Steps& steps) {
  for (Step& step : steps.list) {
    auto gap = first_behind(gaps, step.host.begin);
    for (; gap != gaps.end() && gap->begin < step.host.end; ++gap) {
      const bool at_end =
          gap->begin > step.host.begin && step.host.end - gap->end < gap->begin - step.host.begin;
      if (!at_end) continue;
      if (step.window.end == step.host.end) step.window.end = gap->begin;
      step.host.end = gap->begin;
    }
  }
}

void note_planned(const IntervalSet& gaps, Steps& steps) {
  if (gaps.empty()) return;
  steps.notes.push_back(fmt::format("{} {} not recorded, by plan: {} together", gaps.size(),
                                    gaps.size() == 1 ? "stretch was" : "stretches were",
                                    format_duration(static_cast<double>(total_length(gaps)))));
}

// Sets aside the steps behind gaps, unless ranges are all that is recorded: there each step follows
// a gap, and they are all there is to count.
void set_followers_aside(const IntervalSet& gaps, Steps& steps) {
  std::vector<std::size_t> followers;
  for (std::size_t k = 0; k < steps.list.size(); ++k)
    if (has_gap_before(gaps, steps, k)) followers.push_back(k);
  if (!set_aside_unless_all(steps, followers, "follows a stretch that was not recorded"))
    steps.notes.emplace_back(
        "each step follows a stretch that was not recorded: device work that was launched there is "
        "not seen in it");
}

}  // namespace

std::vector<CaptureStretch> capture_stretches(const Trace& trace, ProcessId process) {
  const Counters& counters = trace.data().counters;
  std::vector<CaptureStretch> stretches;
  for (std::size_t row = 0; row < counters.size(); ++row) {
    if (counters.process[row] != process || trace.text(counters.track[row]) != kCaptureTrack)
      continue;
    stretches.push_back({{counters.time[row], 0}, counters.value[row]});
  }
  std::stable_sort(stretches.begin(), stretches.end(),
                   [](const auto& a, const auto& b) { return a.time.begin < b.time.begin; });
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    const bool last = i + 1 == stretches.size();
    stretches[i].time.end =
        last ? std::max(stretches[i].time.begin, trace.end()) + 1 : stretches[i + 1].time.begin;
  }
  return stretches;
}

IntervalSet planned_gaps(const Trace& trace, ProcessId process) {
  IntervalSet gaps;
  for (const CaptureStretch& stretch : capture_stretches(trace, process)) {
    if (stretch.state != kWhole) gaps.push_back(stretch.time);
  }
  return unite(std::move(gaps));
}

IntervalSet capture_gaps(const Trace& trace, ProcessId process) {
  IntervalSet gaps = planned_gaps(trace, process);
  const IntervalSet lost = lost_stretches(trace, process);
  gaps.insert(gaps.end(), lost.begin(), lost.end());
  return unite(std::move(gaps));
}

bool is_inside(const IntervalSet& gaps, std::int64_t time) {
  const auto after = first_behind(gaps, time);
  return after != gaps.end() && after->contains(time);
}

void close_gaps(const IntervalSet& gaps, Steps& steps) {
  if (steps.found_by == FoundBy::periodicity) end_before_gaps(gaps, steps);
  for (Step& step : steps.list) {
    if (has_gap_inside(gaps, step)) step.wall_known = false;
    auto gap = first_behind(gaps, step.window.begin);
    for (; gap != gaps.end() && gap->end <= step.host.begin + kSlack_ns; ++gap)
      step.window.begin = std::max(step.window.begin, std::min(gap->end, step.window.end));
  }
}

void set_gaps_aside(const Trace& trace, Steps& steps) {
  const IntervalSet planned = planned_gaps(trace, steps.process);
  const IntervalSet lost = lost_stretches(trace, steps.process);
  if (planned.empty() && lost.empty()) return;
  std::size_t with_loss = 0;
  for (Step& step : steps.list) {
    if (has_gap_inside(planned, step)) set_aside(step, "not recorded, by plan");
    if (!has_gap_inside(lost, step)) continue;
    set_aside(step, "records of it are lost");
    ++with_loss;
  }
  set_followers_aside(capture_gaps(trace, steps.process), steps);
  note_planned(planned, steps);
  if (!lost.empty())
    steps.notes.push_back(fmt::format(
        "records are lost in {} of the run, in which {} of the steps found {}: not counted",
        format_duration(static_cast<double>(total_length(clip(lost, steps.recorded)))), with_loss,
        with_loss == 1 ? "lies" : "lie"));
}

}  // namespace stepscope
