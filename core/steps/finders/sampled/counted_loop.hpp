// SPDX-License-Identifier: Apache-2.0
// A loop of Python as samples saw it: how many iterations it had begun at each look at its thread
// (kLoopPositionTrack), in visits from its first iteration to its last.
#pragma once

#include <string_view>
#include <vector>

#include "core/steps/activity.hpp"

namespace stepscope {

struct LoopPoint {
  std::int64_t time, position;
  std::int64_t end;  // the position behind the last; -1: not known
};

// A loop from its first iteration to its last, or as far as samples saw it.
struct LoopVisit {
  std::vector<LoopPoint> points;
  std::int64_t iterations() const { return points.back().position - points.front().position; }
  Interval time() const { return {points.front().time, points.back().time}; }
};

struct CountedLoop {
  std::string_view name;  // "slots.function|file"
  std::vector<LoopVisit> visits;
  std::int64_t covered = 0;  // time
  std::size_t points = 0;
  double pace = 0;  // time of an iteration

  double iterations() const {
    std::int64_t sum = static_cast<std::int64_t>(visits.size());
    for (const LoopVisit& visit : visits) sum += visit.iterations();
    return static_cast<double>(sum);
  }
};

// Those of a thread within the activity's time. Names last as long as its trace.
std::vector<CountedLoop> counted_loops_of(const Activity& activity, std::int64_t tid);

// The one whose iterations are steps (counted_loops.hpp); null: none is seen well enough. Sorts
// them, outermost first.
const CountedLoop* choose_counted_loop(std::vector<CountedLoop>& loops, const Activity& activity);

}  // namespace stepscope
