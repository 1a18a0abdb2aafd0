// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/steps/finders/finders.hpp"
#include "core/steps/shares.hpp"
#include "core/support/duration.hpp"
#include "core/support/short_file.hpp"

namespace stepscope {
namespace {

constexpr double kConfidence = 0.9;
constexpr double kRoomFor = 2;  // iterations may be twice as fast as usual
constexpr double kFewestIterations = 6;
constexpr std::size_t kPointsOfVisit = 3;
constexpr double kSameTime = 0.95;  // two loops that cover the same
constexpr double kShortest_ns = 100'000, kShortestInside_ns = 1'000'000;
constexpr double kEpochs = 20, kManyBatches = 12;  // fewer outside may have fewer inside

struct Look {
  std::int64_t time, position;
  std::int64_t end;  // the position behind the last; -1: not known
  bool enters = true;
};

// A loop in visits from its first iteration to its last, or as far as samples saw it.
struct CountedLoop {
  std::string_view name;  // "slots.function|file"
  std::vector<Look> points;
  IntervalSet visits;
  std::int64_t within = 0;  // iterations that began between two looks at one visit

  double iterations() const { return static_cast<double>(within + std::ssize(visits)); }
  std::int64_t covered() const { return total_length(visits); }
  double pace() const {
    return within > 0 ? static_cast<double>(covered()) / static_cast<double>(within) : 0;
  }
};

void add(CountedLoop& loop, Look point) {
  if (!loop.points.empty()) {
    const Look& last = loop.points.back();
    point.enters = point.position < last.position || point.end != last.end;
    if (!point.enters) loop.within += point.position - last.position;
  }
  if (point.enters) loop.visits.push_back({point.time, point.time});
  loop.visits.back().end = point.time;
  loop.points.push_back(point);
}

std::vector<CountedLoop> counted_loops_of(const Activity& activity, ThreadId thread) {
  const Trace& trace = *activity.trace;
  const Counters& rows = trace.data().counters;
  const std::string tid = std::to_string(trace.data().threads[thread].tid) + ".";
  const std::string position = kLoopPositionTrack + tid, end = kLoopEndTrack + tid;
  std::map<std::string_view, std::map<std::int64_t, Look>> looks;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string_view track = trace.text(rows.track[i]);
    const bool is_end = track.starts_with(end);
    if (!activity.host.contains(rows.time[i]) || !(is_end || track.starts_with(position))) continue;
    const std::string_view name = track.substr(is_end ? end.size() : position.size());
    Look& point = looks[name].try_emplace(rows.time[i], Look{rows.time[i], 0, -1}).first->second;
    (is_end ? point.end : point.position) = static_cast<std::int64_t>(rows.value[i]);
  }
  std::vector<CountedLoop> loops;
  for (const auto& [name, points] : looks) {
    loops.push_back({.name = name});
    for (const auto& [time, point] : points) add(loops.back(), point);
  }
  return loops;
}

// Imports and compilation may be most of the run; n iterations are at least an n-th of it.
bool is_seen_well(const CountedLoop& loop, const Activity& activity) {
  return loop.iterations() >= kFewestIterations && loop.pace() >= kShortest_ns &&
         loop.points.size() >= kPointsOfVisit * loop.visits.size() &&
         loop.iterations() * static_cast<double>(loop.covered()) >=
             static_cast<double>(activity.host.length());
}

bool are_batches_of(const CountedLoop& inner, const CountedLoop& outer) {
  std::int64_t common = 0;
  for (const Interval& visit : inner.visits) common += total_length(clip(outer.visits, visit));
  const double each_time = inner.iterations() / outer.iterations();
  return inner.pace() >= kShortestInside_ns && 2 * common >= outer.covered() &&
         each_time >= (outer.iterations() < kEpochs ? 2 : kManyBatches);
}

// Which of several in each other: the outermost that covers most of the run, or one inside it that
// fills it with many iterations each time (batches of an epoch). Null: none is seen well enough.
const CountedLoop* choose(std::vector<CountedLoop>& loops, const Activity& activity) {
  std::erase_if(loops, [&](const CountedLoop& loop) { return !is_seen_well(loop, activity); });
  std::sort(loops.begin(), loops.end(), [](const CountedLoop& a, const CountedLoop& b) {
    return a.iterations() < b.iterations();
  });
  std::int64_t most = 0;
  for (const CountedLoop& loop : loops) most = std::max(most, loop.covered());
  const CountedLoop* best = nullptr;
  for (const CountedLoop& loop : loops) {
    const bool covers = is_at_least(kSameTime, loop.covered(), most);
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

// Iterations that ran behind the last look at a visit. More of them than the time until `until`
// has room for: the loop was left before its end (`break`, early stopping).
std::int64_t left_behind(const CountedLoop& loop, const Look& last, std::int64_t until) {
  const std::int64_t left = last.end < 0 ? 0 : std::max<std::int64_t>(0, last.end - last.position);
  const double room = static_cast<double>(until - last.time) / loop.pace();
  return static_cast<double>(left) <= kRoomFor * room + 1 ? left : 0;
}

// Adds the iterations behind the last sample at one visit and before the first at the next: the
// rest of the one and the begin of the other, at the loop's pace where there is time for it. What
// the program did between them belongs to the last iteration of the first.
void add_between(std::vector<std::int64_t>& begins, const CountedLoop& loop, const Look& last,
                 const Look& next) {
  const std::int64_t left = left_behind(loop, last, next.time), begun = next.position;
  const std::int64_t all = left + begun;
  const auto usual = static_cast<std::int64_t>(loop.pace());
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
  std::vector<std::int64_t> begins{loop.points.front().time};
  for (std::size_t i = 1; i < loop.points.size(); ++i) {
    const Look &a = loop.points[i - 1], &b = loop.points[i];
    if (b.enters)
      add_between(begins, loop, a, b);
    else
      spread(begins, a.time, b.time, b.position - a.position);
  }
  spread(begins, loop.points.back().time, end, left_behind(loop, loop.points.back(), end));
  return begins;
}

std::string how_text(const CountedLoop& loop, std::size_t steps, double spacing) {
  const std::string_view place = loop.name.substr(loop.name.find('.') + 1);
  const std::size_t bar = place.find('|');
  const std::string_view file = place.substr(bar + 1);
  const std::int64_t before = loop.points.front().position - 1;
  return fmt::format(
      "{} iterations of a loop in {} ({}), by the count that its iterator keeps{}; when one begins "
      "is known to {}, their mean to much less",
      steps, place.substr(0, bar), short_file(file),
      before <= 0 ? "" : fmt::format(" ({} ran before the first sample)", before),
      format_duration(spacing));
}

}  // namespace

Loop find_counted_loops(const Activity& activity) {
  if (activity.work_kind != WorkKind::python_calls || activity.work.size() != 1) return {};
  const auto thread = static_cast<ThreadId>(activity.work.front().lane);
  std::vector<CountedLoop> loops = counted_loops_of(activity, thread);
  const CountedLoop* chosen = choose(loops, activity);
  if (chosen == nullptr) return {};
  const std::int64_t end = end_of(activity, thread, chosen->points.back().time);
  const std::vector<std::int64_t> begins = begins_of(*chosen, end);
  const double spacing =
      static_cast<double>(chosen->covered()) / static_cast<double>(chosen->points.size());
  Loop loop{.found_by = FoundBy::loop_counter,
            .confidence = kConfidence,
            .how = how_text(*chosen, begins.size(), spacing),
            .thread = thread,
            .begin_error_ns = static_cast<std::int64_t>(spacing)};
  for (std::size_t i = 0; i < begins.size(); ++i)
    loop.steps.push_back(
        {static_cast<std::int64_t>(i), {begins[i], i + 1 < begins.size() ? begins[i + 1] : end}});
  return loop;
}

}  // namespace stepscope
