// SPDX-License-Identifier: Apache-2.0
#include "core/steps/finders/marks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "core/steps/finders/named_range.hpp"
#include "core/steps/shares.hpp"
#include "core/support/statistics.hpp"

namespace stepscope {
namespace {

constexpr double kAllWork = 0.95;     // share of it
constexpr double kMuchBeyond = 0.01;  // share of a mark's length

constexpr std::int64_t kMainCountsTimes = 2;

// A clock's rounding lets the end of one mark lie behind the begin of the next: that is no nesting.
bool is_inner(Interval kept, Interval next) {
  if (next.begin >= kept.end) return false;
  const std::int64_t common = intersect(kept, next).length();
  return next.end <= kept.end || 2 * common > std::min(kept.length(), next.length());
}

std::vector<RangeId> without_inner(const Activity& activity, std::span<const RangeId> ranges) {
  std::vector<RangeId> out;
  for (RangeId range : ranges) {
    if (!out.empty() && is_inner(activity.time(out.back()), activity.time(range))) continue;
    out.push_back(range);
  }
  return out;
}

// Ranges of one thread in time order without those that lie inside an earlier one (doubles by NVTX
// and record_function, recursion) or overlap it for more than half of the shorter. An outermost
// range that stands alone around at least two others is left out instead of them: it is the loop,
// not an iteration.
std::vector<RangeId> outermost(const Activity& activity, std::span<const RangeId> ranges) {
  for (std::size_t around = 0; around < std::min(ranges.size(), kMany); ++around) {
    std::vector<RangeId> out = without_inner(activity, ranges.subspan(around));
    if (out.size() >= 2) return out;
  }
  return without_inner(activity, ranges);
}

// Counts the ranges that were left out although none that was kept holds them.
std::size_t crossing_ones(const Activity& activity, std::span<const RangeId> ranges,
                          std::span<const RangeId> kept) {
  std::size_t count = 0;
  std::size_t next = 0;
  for (const RangeId range : ranges) {
    if (next < kept.size() && kept[next] == range) {
      ++next;
    } else if (next > 0 && activity.time(range).end > activity.time(kept[next - 1]).end) {
      ++count;
    }
  }
  return count;
}

bool outlast_the_next(const Activity& activity, std::span<const RangeId> ranges) {
  std::vector<std::int64_t> beyond, lengths;
  for (std::size_t i = 0; i + 1 < ranges.size(); ++i) {
    const Interval time = activity.time(ranges[i]);
    beyond.push_back(std::max<std::int64_t>(0, time.end - activity.time(ranges[i + 1]).begin));
    lengths.push_back(time.length());
  }
  return !beyond.empty() && median(beyond) > 0 &&
         is_at_least(kMuchBeyond, median(beyond), median(lengths));
}

}  // namespace

bool is_profiler_step(std::string_view name) {
  return name.starts_with("ProfilerStep#");
}

bool is_optimizer_step(std::string_view name) {
  return name.starts_with("Optimizer.step#");
}

bool is_loader_fetch(std::string_view name) {
  return name.find("__next__") != std::string_view::npos &&
         name.find("DataLoader") != std::string_view::npos;
}

std::vector<RangeId> loader_fetches(const Activity& activity, ThreadId thread) {
  std::vector<RangeId> out = activity.annotations_that(is_loader_fetch);
  std::erase_if(out, [&](RangeId fetch) { return activity.thread(fetch) != thread; });
  return without_inner(activity, out);
}

MarkedThread choose_thread(const Activity& activity, std::span<const RangeId> ranges) {
  const TraceData& data = activity.trace->data();
  std::map<ThreadId, std::vector<RangeId>> by_thread;
  for (RangeId range : ranges) by_thread[activity.thread(range)].push_back(range);
  MarkedThread best;
  std::pair<std::int64_t, std::size_t> most{-1, 0};  // time inside, marks
  for (auto& [thread, all] : by_thread) {
    std::vector<RangeId> own = outermost(activity, all);
    const std::int64_t inside = total_length(unite(times_of(activity, own)));
    const bool is_main = data.threads[thread].tid == data.processes[activity.process].pid;
    const std::pair key{inside * (is_main ? kMainCountsTimes : 1), own.size()};
    if (key <= most) continue;
    most = key;
    const std::size_t crossing = crossing_ones(activity, all, own);
    best = {thread, std::move(own), by_thread.size() - 1, crossing};
  }
  return best;
}

std::vector<Interval> times_of(const Activity& activity, std::span<const RangeId> ranges) {
  std::vector<Interval> times;
  times.reserve(ranges.size());
  for (RangeId range : ranges) {
    Interval time = activity.time(range);
    if (!times.empty()) time.begin = std::max(time.begin, times.back().end);
    times.push_back(time);
  }
  return times;
}

Loop loop_of(const Activity& activity, const MarkedThread& marks, FoundBy found_by,
             std::string how) {
  Loop loop{.found_by = found_by,
            .how = std::move(how),
            .thread = marks.thread,
            .steps = steps_of(activity, marks.ranges)};
  if (marks.crossing > 0)
    loop.notes.push_back(fmt::format("{} {} for more than half of a step: left out", marks.crossing,
                                     marks.crossing == 1 ? "mark overlaps the one before it"
                                                         : "marks overlap the one before them"));
  loop.last_complete = !outlast_the_next(activity, marks.ranges);
  if (!loop.last_complete)
    loop.notes.emplace_back(
        "marks of steps outlast the begin of the next one: each ends there, and the last step is "
        "not counted");
  return loop;
}

bool numbers_rise(const Activity& activity, std::span<const RangeId> ranges) {
  std::int64_t last = -1;
  return std::all_of(ranges.begin(), ranges.end(), [&](RangeId range) {
    const std::int64_t before =
        std::exchange(last, split_number(activity.name(range)).number.value_or(-1));
    return last > before;
  });
}

std::vector<HostStep> steps_of(const Activity& activity, std::span<const RangeId> ranges) {
  const bool numbered = numbers_rise(activity, ranges);
  std::vector<HostStep> steps;
  std::int64_t sessions = 0, last = -1;
  for (const RangeId range : ranges) {
    const std::int64_t number = split_number(activity.name(range)).number.value_or(-1);
    if (is_profiler_step(activity.name(range)) && number <= std::exchange(last, number)) ++sessions;
    steps.push_back({numbered ? number : std::ssize(steps) + sessions, activity.time(range)});
  }
  for (std::size_t i = 0; i + 1 < steps.size(); ++i)
    steps[i].time.end = std::min(steps[i].time.end, steps[i + 1].time.begin);
  return steps;
}

bool divide_work(const Activity& activity, std::span<const HostStep> steps) {
  if (steps.size() < 2) return true;
  std::vector<double> work;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const std::int64_t begin = k == 0 ? steps[k].time.begin : steps[k - 1].time.end;
    work.push_back(activity.share_in(Interval{begin, steps[k].time.end}));
  }
  std::sort(work.rbegin(), work.rend());
  const bool two_others_work = work.size() > 2 && work[2] > 0;
  const double all = std::accumulate(work.begin(), work.end(), 0.0);
  return two_others_work || all == 0 || work.front() < kAllWork * all;
}

std::string thread_text(const Trace& trace, ThreadId thread) {
  const Thread& t = trace.data().threads[thread];
  return t.name.empty() ? fmt::format("thread {}", t.tid)
                        : fmt::format("thread {} ({})", t.tid, t.name);
}

}  // namespace stepscope
