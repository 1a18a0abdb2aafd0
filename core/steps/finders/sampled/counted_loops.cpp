// SPDX-License-Identifier: Apache-2.0
#include "core/steps/finders/sampled/counted_loops.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "core/steps/finders/sampled/counted_loop.hpp"
#include "core/support/duration.hpp"

namespace stepscope {
namespace {

constexpr double kConfidence = 0.9;
constexpr double kRoomFor = 2;  // iterations may be twice as fast as usual

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
std::int64_t left_behind(const CountedLoop& loop, const LoopPoint& last, std::int64_t until) {
  const std::int64_t left = last.end < 0 ? 0 : std::max<std::int64_t>(0, last.end - last.position);
  const double room = static_cast<double>(until - last.time) / loop.pace;
  return static_cast<double>(left) <= kRoomFor * room + 1 ? left : 0;
}

// Adds the iterations behind the last sample at one visit and before the first at the next: the
// rest of the one and the begin of the other, at the loop's pace where there is time for it. What
// the program did between them belongs to the last iteration of the first.
void add_between(std::vector<std::int64_t>& begins, const CountedLoop& loop, const LoopPoint& last,
                 const LoopPoint& next) {
  const std::int64_t left = left_behind(loop, last, next.time), begun = next.position;
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
  const LoopPoint* last = nullptr;
  for (const LoopVisit& visit : loop.visits) {
    if (last != nullptr) add_between(begins, loop, *last, visit.points.front());
    for (std::size_t i = 1; i < visit.points.size(); ++i) {
      const LoopPoint &a = visit.points[i - 1], &b = visit.points[i];
      spread(begins, a.time, b.time, b.position - a.position);
    }
    last = &visit.points.back();
  }
  spread(begins, last->time, end, left_behind(loop, *last, end));
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
  std::vector<CountedLoop> loops =
      counted_loops_of(activity, activity.trace->data().threads[thread].tid);
  const CountedLoop* chosen = choose_counted_loop(loops, activity);
  if (chosen == nullptr) return {};
  const std::int64_t end = end_of(activity, thread, chosen->visits.back().points.back().time);
  const std::vector<std::int64_t> begins = begins_of(*chosen, end);
  const double spacing = static_cast<double>(chosen->covered) /
                         static_cast<double>(std::max<std::size_t>(chosen->points, 1));
  Loop loop{.found_by = FoundBy::loop_counter,
            .confidence = kConfidence,
            .how = how_text(*chosen, begins.size(), spacing),
            .thread = thread};
  for (std::size_t i = 0; i < begins.size(); ++i)
    loop.steps.push_back(
        {static_cast<std::int64_t>(i), {begins[i], i + 1 < begins.size() ? begins[i + 1] : end}});
  return loop;
}

}  // namespace stepscope
