// SPDX-License-Identifier: Apache-2.0
#include "core/steps/capture_gaps.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/support/duration.hpp"

namespace stepscope {
namespace {

constexpr double kWhole = 1;

// A gap begins where a step's mark ended, up to the error of clocks.
constexpr std::int64_t kSlack_ns = 10'000;

// From the end of the step before: a gap between two steps is in the later one.
std::vector<bool> steps_with_gaps(const IntervalSet& gaps, const Steps& steps) {
  std::vector<bool> out;
  for (std::size_t k = 0; k < steps.list.size(); ++k) {
    const Interval host = steps.list[k].host;
    const std::int64_t begin = k == 0 ? host.begin : steps.list[k - 1].host.end;
    const Interval time{begin, std::max(begin, host.end - kSlack_ns)};
    out.push_back(std::any_of(gaps.begin(), gaps.end(),
                              [&](const Interval& gap) { return !intersect(gap, time).empty(); }));
  }
  return out;
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

IntervalSet capture_gaps(const Trace& trace, ProcessId process) {
  IntervalSet gaps;
  for (const CaptureStretch& stretch : capture_stretches(trace, process)) {
    if (stretch.state != kWhole) gaps.push_back(stretch.time);
  }
  return unite(std::move(gaps));
}

bool is_inside(const IntervalSet& gaps, std::int64_t time) {
  const auto after =
      std::upper_bound(gaps.begin(), gaps.end(), time,
                       [](std::int64_t t, const Interval& gap) { return t < gap.end; });
  return after != gaps.end() && after->contains(time);
}

void close_gaps(const IntervalSet& gaps, Steps& steps) {
  const std::vector<bool> with_gaps = steps_with_gaps(gaps, steps);
  for (std::size_t k = 0; k < with_gaps.size(); ++k) {
    if (with_gaps[k]) steps.list[k].wall_known = false;
  }
}

void set_gaps_aside(const IntervalSet& gaps, Steps& steps) {
  if (gaps.empty()) return;
  const std::vector<bool> with_gaps = steps_with_gaps(gaps, steps);
  for (std::size_t k = 0; k < with_gaps.size(); ++k) {
    if (!with_gaps[k]) continue;
    steps.list[k].steady = false;
    steps.list[k].why_not_steady = "not recorded, by plan";
  }
  steps.notes.push_back(fmt::format("{} {} not recorded, by plan: {} together", gaps.size(),
                                    gaps.size() == 1 ? "stretch was" : "stretches were",
                                    format_duration(static_cast<double>(total_length(gaps)))));
}

}  // namespace stepscope
