// SPDX-License-Identifier: Apache-2.0
// Half-open intervals [begin, end) of int64 nanoseconds, and sorted disjoint sets of them.
// Invariant of an IntervalSet: sorted, disjoint, not touching, none empty. Arithmetic is exact.
#pragma once

#include <cstdint>
#include <vector>

namespace stepscope {

struct Interval {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  std::int64_t length() const { return end > begin ? end - begin : 0; }
  bool empty() const { return end <= begin; }
  bool contains(std::int64_t t) const { return begin <= t && t < end; }
  friend bool operator==(const Interval&, const Interval&) = default;
};

using IntervalSet = std::vector<Interval>;

Interval intersect(Interval a, Interval b);

// The union of any intervals, in any order, overlapping or empty.
IntervalSet unite(std::vector<Interval> intervals);

// Returns the part of `window` that `set` does not cover.
IntervalSet complement(const IntervalSet& set, Interval window);

// The part of `set` inside `window`.
IntervalSet clip(const IntervalSet& set, Interval window);

std::int64_t total_length(const IntervalSet& set);

// Whether one of the intervals holds the time; they ascend and do not overlap.
bool contains(const IntervalSet& set, std::int64_t time);

}  // namespace stepscope
