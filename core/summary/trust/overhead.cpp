// SPDX-License-Identifier: Apache-2.0
#include "core/summary/trust/overhead.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/steps/capture_gaps.hpp"
#include "core/steps/finders/named_range.hpp"
#include "core/support/statistics.hpp"

namespace stepscope {
namespace {

constexpr std::size_t kFewestDistances = 2;
constexpr std::size_t kWarmUp = 8, kFewestUntouched = 8, kMostUntouched = 200;

// Ends of the marks of one kind, in order: of the kind that comes most often in gaps.
std::vector<std::int64_t> mark_ends(const Trace& trace, const Steps& steps,
                                    const IntervalSet& gaps) {
  struct Marks {
    std::size_t in_gaps = 0;
    std::vector<std::int64_t> ends;
  };
  const HostRanges& h = trace.host_ranges();
  const Rows rows = trace.ranges_of(steps.thread);
  std::map<std::string, Marks> by_stem;
  for (RangeId range = rows.begin; range < rows.end; ++range) {
    if (!is_annotation(h.kind[range])) continue;
    Marks& marks = by_stem[split_number(trace.text(h.name[range])).stem];
    marks.ends.push_back(h.end[range]);
    marks.in_gaps += is_inside(gaps, h.begin[range]) ? 1U : 0U;
  }
  const auto most = std::max_element(
      by_stem.begin(), by_stem.end(),
      [](const auto& a, const auto& b) { return a.second.in_gaps < b.second.in_gaps; });
  if (most == by_stem.end()) return {};
  std::sort(most->second.ends.begin(), most->second.ends.end());
  return most->second.ends;
}

// Mean distance of the marks of a stretch, without the first; 0 where there are too few.
double mean_distance(const std::vector<std::int64_t>& ends, Interval stretch) {
  const auto first = std::upper_bound(ends.begin(), ends.end(), stretch.begin);
  const auto last = std::upper_bound(first, ends.end(), stretch.end);
  const auto marks = static_cast<std::size_t>(last - first);
  if (marks < kFewestDistances + 2) return 0;
  return static_cast<double>(*(last - 1) - *(first + 1)) / static_cast<double>(marks - 2);
}

bool is_plain(const CaptureStretch& stretch) {
  return stretch.state <= 0;
}

// The first stretch, where nothing was recorded before it: no mark lies in front.
bool begins_untouched(const std::vector<std::int64_t>& ends,
                      const std::vector<CaptureStretch>& stretches) {
  return !ends.empty() && is_plain(stretches.front()) &&
         ends.front() >= stretches.front().time.begin;
}

// Returns the ratios of the stretches of that state between two plain ones.
std::vector<double> ratios_of(const std::vector<std::int64_t>& ends,
                              const std::vector<CaptureStretch>& stretches, double state) {
  std::vector<double> ratios;
  const std::size_t first = begins_untouched(ends, stretches) ? 2 : 1;
  for (std::size_t i = first; i + 1 < stretches.size(); ++i) {
    if (stretches[i].state != state || !is_plain(stretches[i - 1]) || !is_plain(stretches[i + 1]))
      continue;
    const double before = mean_distance(ends, stretches[i - 1].time);
    const double after = mean_distance(ends, stretches[i + 1].time);
    const double on = mean_distance(ends, stretches[i].time);
    if (before > 0 && after > 0 && on > 0) ratios.push_back(2 * on / (before + after));
  }
  std::sort(ratios.begin(), ratios.end());
  return ratios;
}

// Returns how many of the smallest (and of the largest) lie outside of the interval: the normal
// approximation of the binomial distribution, rounded outwards.
std::size_t outside(std::size_t pairs) {
  const auto n = static_cast<double>(pairs);
  const double rank = n / 2 - 1.96 * std::sqrt(n) / 2;
  return rank < 1 ? 0 : static_cast<std::size_t>(rank) - 1;
}

// Adds the distances of the stretch's marks, without the first `skipped`.
void add_distances(const std::vector<std::int64_t>& ends, Interval stretch, std::size_t skipped,
                   std::vector<double>& distances) {
  const auto first = std::upper_bound(ends.begin(), ends.end(), stretch.begin);
  const auto last = std::upper_bound(first, ends.end(), stretch.end);
  for (auto mark = first; mark != last && mark + 1 != last; ++mark) {
    if (skipped > 0) {
      --skipped;
    } else {
      distances.push_back(static_cast<double>(*(mark + 1) - *mark));
    }
  }
}

struct MedianInterval {
  double value, low, high;
};

MedianInterval median_interval(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t skip = outside(values.size());
  return {median_of(values), values[skip], values[values.size() - 1 - skip]};
}

}  // namespace

std::optional<Overhead> measure_left(const Trace& trace, const Steps& steps) {
  const std::vector<CaptureStretch> stretches = capture_stretches(trace, steps.process);
  if (stretches.size() < 3) return std::nullopt;
  const std::vector<std::int64_t> ends =
      mark_ends(trace, steps, planned_gaps(trace, steps.process));
  if (!begins_untouched(ends, stretches)) return std::nullopt;
  std::vector<double> untouched, left;
  add_distances(ends, stretches.front().time, kWarmUp, untouched);
  if (untouched.size() < kFewestUntouched) return std::nullopt;
  if (untouched.size() > kMostUntouched)
    untouched.erase(untouched.begin(), untouched.end() - kMostUntouched);
  for (std::size_t i = 1; i < stretches.size() && left.size() < 2 * untouched.size(); ++i) {
    if (is_plain(stretches[i])) add_distances(ends, stretches[i].time, 1, left);
  }
  if (left.size() < kFewestUntouched) return std::nullopt;
  const MedianInterval before = median_interval(untouched), after = median_interval(left);
  if (before.low <= 0) return std::nullopt;
  return Overhead{after.value / before.value, after.low / before.high, after.high / before.low,
                  untouched.size()};
}

std::optional<Overhead> measure_overhead(const Trace& trace, const Steps& steps) {
  return measure_overhead(trace, steps, 1);
}

std::optional<Overhead> measure_overhead(const Trace& trace, const Steps& steps, double state) {
  const std::vector<CaptureStretch> stretches = capture_stretches(trace, steps.process);
  if (stretches.size() <= 2 * kFewestPairs) return std::nullopt;
  const IntervalSet gaps = planned_gaps(trace, steps.process);
  const std::vector<double> ratios = ratios_of(mark_ends(trace, steps, gaps), stretches, state);
  if (ratios.size() < kFewestPairs) return std::nullopt;
  const MedianInterval found = median_interval(ratios);
  return Overhead{found.value, found.low, found.high, ratios.size()};
}

std::string why_no_overhead(const Trace& trace, const Steps& steps) {
  const std::vector<CaptureStretch> stretches = capture_stretches(trace, steps.process);
  std::size_t windows = 0;  // between two pauses
  for (std::size_t i = 1; i + 1 < stretches.size(); ++i)
    windows += stretches[i].state == 1 && is_plain(stretches[i - 1]) && is_plain(stretches[i + 1]);
  if (windows < 2 || measure_overhead(trace, steps)) return "";
  if (windows < kFewestPairs)
    return fmt::format(
        "what recording costs is not measured: {} recorded windows lie between two pauses, and {} "
        "are needed",
        windows, kFewestPairs);
  const IntervalSet gaps = planned_gaps(trace, steps.process);
  const std::vector<std::int64_t> ends = mark_ends(trace, steps, gaps);
  const auto in_gaps = std::count_if(ends.begin(), ends.end(),
                                     [&](std::int64_t end) { return is_inside(gaps, end); });
  if (in_gaps <= static_cast<std::ptrdiff_t>(gaps.size()))  // the one that ended each window
    return "what recording costs is not measured: the loop has no marks (of an optimizer, a "
           "profiler or its own) in the pauses between the windows";
  return fmt::format(
      "what recording costs is not measured: {} of {} windows hold four marks of steps and have "
      "pauses beside them that do, and {} are needed (longer windows and pauses, as --window "
      "20/20)",
      ratios_of(ends, stretches, 1).size(), windows, kFewestPairs);
}

}  // namespace stepscope
