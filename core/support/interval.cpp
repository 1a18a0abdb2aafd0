// SPDX-License-Identifier: Apache-2.0
#include "core/support/interval.hpp"

#include <algorithm>

namespace stepscope {
namespace {

auto first_ending_after(const IntervalSet& set, std::int64_t t) {
  return std::upper_bound(set.begin(), set.end(), t,
                          [](std::int64_t time, const Interval& i) { return time < i.end; });
}

}  // namespace

Interval intersect(Interval a, Interval b) {
  return {std::max(a.begin, b.begin), std::min(a.end, b.end)};
}

IntervalSet unite(std::vector<Interval> intervals) {
  std::erase_if(intervals, [](const Interval& i) { return i.empty(); });
  std::sort(intervals.begin(), intervals.end(),
            [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
  IntervalSet out;
  for (const Interval& i : intervals) {
    if (!out.empty() && i.begin <= out.back().end) {
      out.back().end = std::max(out.back().end, i.end);
    } else {
      out.push_back(i);
    }
  }
  return out;
}

IntervalSet complement(const IntervalSet& set, Interval window) {
  IntervalSet out;
  std::int64_t at = window.begin;
  for (auto i = first_ending_after(set, window.begin); i != set.end() && i->begin < window.end;
       ++i) {
    if (i->begin > at) out.push_back({at, i->begin});
    at = i->end;
  }
  if (at < window.end) out.push_back({at, window.end});
  return out;
}

IntervalSet clip(const IntervalSet& set, Interval window) {
  IntervalSet out;
  for (auto i = first_ending_after(set, window.begin); i != set.end() && i->begin < window.end;
       ++i) {
    const Interval part = intersect(*i, window);
    if (!part.empty()) out.push_back(part);
  }
  return out;
}

std::int64_t total_length(const IntervalSet& set) {
  std::int64_t sum = 0;
  for (const Interval& i : set) sum += i.length();
  return sum;
}

bool contains(const IntervalSet& set, std::int64_t time) {
  const auto behind = std::upper_bound(
      set.begin(), set.end(), time, [](std::int64_t t, const Interval& i) { return t < i.begin; });
  return behind != set.begin() && (behind - 1)->contains(time);
}

}  // namespace stepscope
