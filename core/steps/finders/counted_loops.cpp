// SPDX-License-Identifier: Apache-2.0
#include "core/steps/finders/counted_loops.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "core/support/duration.hpp"
#include "core/support/statistics.hpp"

namespace stepscope {
namespace {

constexpr std::size_t kFewestIterations = 6;
constexpr double kPointsOfVisit = 3;
constexpr double kLeastOfRun = 0.05, kMuchOfRun = 0.3;  // imports and compilation may be the rest
constexpr double kManyIterations = 20;                  // which a loop of little time must have
constexpr double kSameTime = 0.95;                      // two loops that cover the same
constexpr double kFills = 0.5;                          // the time of the loop around it
constexpr double kShortest_ns = 100'000, kShortestInside_ns = 1'000'000;
constexpr double kFewOutside = 20;  // iterations of the loop around: epochs
constexpr double kManyInside = 12;
constexpr double kSure = 0.9;

struct Point {
  std::int64_t time, position;
  std::int64_t end;  // the position behind the last; -1: not told
};

// A loop from its first iteration to its last, or as far as samples saw it.
struct Visit {
  std::vector<Point> points;
  std::int64_t iterations() const { return points.back().position - points.front().position; }
  Interval time() const { return {points.front().time, points.back().time}; }
};

struct CountedLoop {
  std::string_view name;  // "slots.function|file"
  std::vector<Visit> visits;
  std::int64_t covered = 0;  // time
  std::size_t points = 0;
  double pace = 0;  // time of an iteration

  double iterations() const {
    std::int64_t sum = static_cast<std::int64_t>(visits.size());
    for (const Visit& visit : visits) sum += visit.iterations();
    return static_cast<double>(sum);
  }
};

std::map<std::string_view, std::vector<Point>> points_of(const Activity& activity,
                                                         std::int64_t tid) {
  const Trace& trace = *activity.trace;
  const Counters& rows = trace.data().counters;
  const std::string position = kLoopPositionTrack + std::to_string(tid) + ".";
  const std::string end = kLoopEndTrack + std::to_string(tid) + ".";
  std::map<std::string_view, std::vector<Point>> out;
  std::map<std::pair<std::string_view, std::int64_t>, std::int64_t> ends;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string_view track = trace.text(rows.track[i]);
    const auto value = static_cast<std::int64_t>(rows.value[i]);
    if (!activity.host.contains(rows.time[i])) continue;
    if (track.starts_with(position))
      out[track.substr(position.size())].push_back({rows.time[i], value, -1});
    else if (track.starts_with(end))
      ends[{track.substr(end.size()), rows.time[i]}] = value;
  }
  for (auto& [name, points] : out) {
    std::stable_sort(points.begin(), points.end(),
                     [](const Point& a, const Point& b) { return a.time < b.time; });
    for (Point& point : points) {
      const auto at = ends.find({name, point.time});
      if (at != ends.end()) point.end = at->second;
    }
  }
  return out;
}

CountedLoop loop_of(std::string_view name, const std::vector<Point>& points) {
  CountedLoop out{.name = name, .visits = {}, .points = points.size()};
  for (const Point& point : points) {
    const bool goes_on = !out.visits.empty() &&
                         point.position >= out.visits.back().points.back().position &&
                         point.end == out.visits.back().points.back().end;
    if (!goes_on) out.visits.emplace_back();
    out.visits.back().points.push_back(point);
  }
  std::int64_t iterations = 0;
  for (const Visit& visit : out.visits) {
    out.covered += visit.time().length();
    iterations += visit.iterations();
  }
  out.pace =
      iterations > 0 ? static_cast<double>(out.covered) / static_cast<double>(iterations) : 0;
  return out;
}

bool is_seen_well(const CountedLoop& loop) {
  return loop.iterations() >= kFewestIterations && loop.pace >= kShortest_ns &&
         static_cast<double>(loop.points) >=
             kPointsOfVisit * static_cast<double>(loop.visits.size());
}

std::int64_t common_time(const CountedLoop& a, const CountedLoop& b) {
  std::vector<Interval> of_a, of_b;
  for (const Visit& visit : a.visits) of_a.push_back(visit.time());
  for (const Visit& visit : b.visits) of_b.push_back(visit.time());
  std::int64_t sum = 0;
  const IntervalSet united = unite(std::move(of_b));
  for (const Interval& one : of_a) sum += total_length(clip(united, one));
  return sum;
}

bool are_batches_of(const CountedLoop& inner, const CountedLoop& outer) {
  const double each_time = inner.iterations() / outer.iterations();
  return inner.pace >= kShortestInside_ns &&
         static_cast<double>(common_time(inner, outer)) >=
             kFills * static_cast<double>(outer.covered) &&
         each_time >= (outer.iterations() < kFewOutside ? 2 : kManyInside);
}

// Outermost first.
const CountedLoop* choose(std::vector<CountedLoop>& loops, const Activity& activity) {
  std::erase_if(loops, [](const CountedLoop& loop) { return !is_seen_well(loop); });
  std::sort(loops.begin(), loops.end(), [](const CountedLoop& a, const CountedLoop& b) {
    return a.iterations() < b.iterations();
  });
  const auto run = static_cast<double>(activity.host.length());
  std::erase_if(loops, [run](const CountedLoop& loop) {
    const double share = static_cast<double>(loop.covered) / run;
    return share < kLeastOfRun || (share < kMuchOfRun && loop.iterations() < kManyIterations);
  });
  std::int64_t most = 0;
  for (const CountedLoop& loop : loops) most = std::max(most, loop.covered);
  const CountedLoop* best = nullptr;
  for (const CountedLoop& loop : loops) {
    const bool covers = static_cast<double>(loop.covered) >= kSameTime * static_cast<double>(most);
    if (best == nullptr ? covers : are_batches_of(loop, *best)) best = &loop;
  }
  return best;
}

// Begins of iterations, evenly between two times.
void spread(std::vector<std::int64_t>& begins, std::int64_t from, std::int64_t to,
            std::int64_t count) {
  const double each =
      static_cast<double>(to - from) / static_cast<double>(std::max<std::int64_t>(count, 1));
  for (std::int64_t i = 0; i < count; ++i)
    begins.push_back(from + static_cast<std::int64_t>((static_cast<double>(i) + 0.5) * each));
}

std::int64_t left_behind(const Point& last) {
  return last.end < 0 ? 0 : std::max<std::int64_t>(0, last.end - last.position);
}

// What ran behind the last look at one visit and before the first at the next: the rest of the one
// and the begin of the other, at the loop's pace where there is time for it. What the program did
// between them is the one's last iteration's.
void add_between(std::vector<std::int64_t>& begins, const CountedLoop& loop, const Point& last,
                 const Point& next) {
  const std::int64_t left = left_behind(last), begun = next.position;
  const std::int64_t all = left + begun;
  const auto usual = static_cast<std::int64_t>(loop.pace);
  const std::int64_t each =
      std::min(usual, (next.time - last.time) / std::max<std::int64_t>(all, 1));
  spread(begins, last.time, last.time + left * each, left);
  spread(begins, next.time - begun * each, next.time, begun);
}

// The first look at the thread behind the loop; the end of what was recorded where there is none.
std::int64_t end_of(const Activity& activity, ThreadId thread, std::int64_t last) {
  const Samples& samples = activity.trace->data().samples;
  std::int64_t end = activity.host.end;
  for (std::size_t s = 0; s < samples.size(); ++s)
    if (samples.thread[s] == thread && samples.time[s] > last) end = std::min(end, samples.time[s]);
  return end;
}

std::vector<std::int64_t> begins_of(const CountedLoop& loop, std::int64_t end) {
  std::vector<std::int64_t> begins{loop.visits.front().points.front().time};
  const Point* last = nullptr;
  for (const Visit& visit : loop.visits) {
    if (last != nullptr) add_between(begins, loop, *last, visit.points.front());
    for (std::size_t i = 1; i < visit.points.size(); ++i) {
      const Point &a = visit.points[i - 1], &b = visit.points[i];
      spread(begins, a.time, b.time, b.position - a.position);
    }
    last = &visit.points.back();
  }
  spread(begins, last->time, end, left_behind(*last));
  return begins;
}

std::string how_text(const CountedLoop& loop, std::size_t steps, double spacing) {
  const std::string_view place = loop.name.substr(loop.name.find('.') + 1);
  const std::size_t bar = place.find('|');
  const std::string_view file = place.substr(bar + 1);
  const std::int64_t before = loop.visits.front().points.front().position - 1;
  return fmt::format(
      "{} iterations of a loop in {} ({}), by the count that its iterator keeps{}; when one begins "
      "is known to {}, their mean to much less",
      steps, place.substr(0, bar), file.substr(file.rfind('/') + 1),
      before <= 0 ? "" : fmt::format(" ({} ran before the first sample)", before),
      format_duration(spacing));
}

}  // namespace

Loop find_counted_loops(const Activity& activity) {
  if (activity.work_kind != WorkKind::python_calls || activity.work.size() != 1) return {};
  const auto thread = static_cast<ThreadId>(activity.work.front().lane);
  std::vector<CountedLoop> loops;
  const auto all = points_of(activity, activity.trace->data().threads[thread].tid);
  for (const auto& [name, points] : all) loops.push_back(loop_of(name, points));
  const CountedLoop* chosen = choose(loops, activity);
  if (chosen == nullptr) return {};
  const std::int64_t end = end_of(activity, thread, chosen->visits.back().points.back().time);
  const std::vector<std::int64_t> begins = begins_of(*chosen, end);
  const double spacing = static_cast<double>(chosen->covered) /
                         static_cast<double>(std::max<std::size_t>(chosen->points, 1));
  Loop loop{.found_by = FoundBy::loop_counter,
            .confidence = kSure,
            .how = how_text(*chosen, begins.size(), spacing),
            .thread = thread};
  for (std::size_t i = 0; i < begins.size(); ++i)
    loop.steps.push_back(
        {static_cast<std::int64_t>(i), {begins[i], i + 1 < begins.size() ? begins[i + 1] : end}});
  return loop;
}

}  // namespace stepscope
