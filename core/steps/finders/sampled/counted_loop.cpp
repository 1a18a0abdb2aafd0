// SPDX-License-Identifier: Apache-2.0
#include "core/steps/finders/sampled/counted_loop.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace stepscope {
namespace {

constexpr std::size_t kFewestIterations = 6;
constexpr double kPointsOfVisit = 3;
constexpr double kLittleOfRun = 0.05, kMuchOfRun = 0.3;  // imports and compilation may be the rest
constexpr double kManyIterations = 20;                   // which a loop of little time must have
constexpr double kSameTime = 0.95;                       // two loops that cover the same
constexpr double kFills = 0.5;                           // the time of the loop around it
constexpr double kShortest_ns = 100'000, kShortestInside_ns = 1'000'000;
constexpr double kFewOutside = 20;  // iterations of the loop around: epochs
constexpr double kManyInside = 12;

std::map<std::string_view, std::vector<LoopPoint>> points_of(const Activity& activity,
                                                             std::int64_t tid) {
  const Trace& trace = *activity.trace;
  const Counters& rows = trace.data().counters;
  const std::string position = kLoopPositionTrack + std::to_string(tid) + ".";
  const std::string end = kLoopEndTrack + std::to_string(tid) + ".";
  std::map<std::string_view, std::vector<LoopPoint>> out;
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
                     [](const LoopPoint& a, const LoopPoint& b) { return a.time < b.time; });
    for (LoopPoint& point : points) {
      const auto at = ends.find({name, point.time});
      if (at != ends.end()) point.end = at->second;
    }
  }
  return out;
}

CountedLoop loop_of(std::string_view name, const std::vector<LoopPoint>& points) {
  CountedLoop out{.name = name, .visits = {}, .points = points.size()};
  for (const LoopPoint& point : points) {
    const bool goes_on = !out.visits.empty() &&
                         point.position >= out.visits.back().points.back().position &&
                         point.end == out.visits.back().points.back().end;
    if (!goes_on) out.visits.emplace_back();
    out.visits.back().points.push_back(point);
  }
  std::int64_t iterations = 0;
  for (const LoopVisit& visit : out.visits) {
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
  for (const LoopVisit& visit : a.visits) of_a.push_back(visit.time());
  for (const LoopVisit& visit : b.visits) of_b.push_back(visit.time());
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

}  // namespace

std::vector<CountedLoop> counted_loops_of(const Activity& activity, std::int64_t tid) {
  std::vector<CountedLoop> loops;
  for (const auto& [name, points] : points_of(activity, tid))
    loops.push_back(loop_of(name, points));
  return loops;
}

const CountedLoop* choose_counted_loop(std::vector<CountedLoop>& loops, const Activity& activity) {
  std::erase_if(loops, [](const CountedLoop& loop) { return !is_seen_well(loop); });
  std::sort(loops.begin(), loops.end(), [](const CountedLoop& a, const CountedLoop& b) {
    return a.iterations() < b.iterations();
  });
  const auto run = static_cast<double>(activity.host.length());
  std::erase_if(loops, [run](const CountedLoop& loop) {
    const double share = static_cast<double>(loop.covered) / run;
    return share < kLittleOfRun || (share < kMuchOfRun && loop.iterations() < kManyIterations);
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

}  // namespace stepscope
