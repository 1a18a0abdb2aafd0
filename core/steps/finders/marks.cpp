// SPDX-License-Identifier: Apache-2.0
#include "core/steps/finders/marks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "core/steps/finders/named_range.hpp"

namespace stepscope {
namespace {

std::vector<RangeId> without_inner(const Activity& activity, const std::vector<RangeId>& ranges) {
  std::vector<RangeId> out;
  for (RangeId range : ranges) {
    if (!out.empty() && activity.time(range).begin < activity.time(out.back()).end) continue;
    out.push_back(range);
  }
  return out;
}

bool does_work(const Trace& trace, ThreadId thread) {
  const Rows rows = trace.ranges_of(thread);
  const std::vector<HostKind>& kind = trace.host_ranges().kind;
  for (RangeId i = rows.begin; i < rows.end; ++i) {
    const HostFamily family = family_of(kind[i]);
    if (family != HostFamily::annotation && family != HostFamily::other) return true;
  }
  return false;
}

constexpr std::int64_t kMainCountsTimes = 2;

bool is_main(const Trace& trace, ThreadId thread) {
  const Thread& t = trace.data().threads[thread];
  return t.tid == trace.data().processes[t.process].pid;
}

}  // namespace

std::vector<RangeId> outermost(const Activity& activity, std::vector<RangeId> ranges) {
  const std::vector<RangeId> plain = without_inner(activity, ranges);
  std::vector<RangeId> out = plain;
  while (out.size() == 1 && ranges.size() >= 3) {
    ranges.erase(ranges.begin());
    out = without_inner(activity, ranges);
  }
  return out.size() >= 2 ? out : plain;
}

MarkedThread choose_thread(const Activity& activity, std::span<const RangeId> ranges) {
  std::map<ThreadId, std::vector<RangeId>> by_thread;
  for (RangeId range : ranges) by_thread[activity.thread(range)].push_back(range);
  MarkedThread best;
  std::size_t at_work = 0;
  std::tuple<bool, std::int64_t, std::size_t> best_key{false, -1, 0};
  for (auto& [thread, all] : by_thread) {
    std::vector<RangeId> own = outermost(activity, std::move(all));
    const std::int64_t inside = total_length(unite(times_of(activity, own)));
    const std::int64_t weight = inside * (is_main(*activity.trace, thread) ? kMainCountsTimes : 1);
    const std::tuple key{does_work(*activity.trace, thread), weight, own.size()};
    at_work += std::get<bool>(key) ? 1U : 0U;
    if (key <= best_key) continue;
    best_key = key;
    best = {thread, std::move(own), by_thread.size() - 1};
  }
  best.left_out_at_work = at_work - (std::get<bool>(best_key) ? 1U : 0U);
  return best;
}

std::vector<Interval> times_of(const Activity& activity, std::span<const RangeId> ranges) {
  std::vector<Interval> times;
  times.reserve(ranges.size());
  for (RangeId range : ranges) times.push_back(activity.time(range));
  return times;
}

std::vector<HostStep> steps_of(const Activity& activity, std::span<const RangeId> ranges) {
  std::vector<HostStep> steps;
  bool numbered = true;
  for (RangeId range : ranges) {
    const std::optional<std::int64_t> number = split_number(activity.name(range)).number;
    numbered = numbered && number && (steps.empty() || *number > steps.back().id);
    steps.push_back({number.value_or(0), activity.time(range)});
  }
  if (!numbered) {
    for (std::size_t i = 0; i < steps.size(); ++i) steps[i].id = static_cast<std::int64_t>(i);
  }
  return steps;
}

std::string thread_text(const Trace& trace, ThreadId thread) {
  const Thread& t = trace.data().threads[thread];
  return t.name.empty() ? fmt::format("thread {}", t.tid)
                        : fmt::format("thread {} ({})", t.tid, t.name);
}

}  // namespace stepscope
