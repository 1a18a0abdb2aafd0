// SPDX-License-Identifier: Apache-2.0
#include "core/steps/periodicity/periodicity.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace stepscope {
namespace {

constexpr double kMostRare = 0.03;         // share of the longer unit
constexpr double kShorterExplains = 0.97;  // share of the sequence that the shorter unit explains

using Function = std::pair<StringId, StringId>;  // file, name

// Returns the line of the range that begins then; kNone where none is known.
SiteId line_at(const Activity& activity, std::int64_t time) {
  const Trace& trace = *activity.trace;
  const HostRanges& h = trace.host_ranges();
  for (ThreadId thread = 0; thread < trace.data().threads.size(); ++thread) {
    if (trace.data().threads[thread].process != activity.process) continue;
    const Rows rows = trace.ranges_of(thread);
    const auto first = h.begin.begin() + rows.begin, last = h.begin.begin() + rows.end;
    for (auto at = std::lower_bound(first, last, time); at != last && *at == time; ++at) {
      const SiteId site = h.site[static_cast<std::size_t>(at - h.begin.begin())];
      if (site != kNone) return site;
    }
  }
  return kNone;
}

// Begin and end of a unit of typical length.
std::pair<std::size_t, std::size_t> unit_of_typical_length(const RepeatLevel& level) {
  for (std::size_t unit = 0; unit + 1 < level.begins.size(); ++unit) {
    if (level.begins[unit + 1] - level.begins[unit] == level.typical_length)
      return {level.begins[unit], level.begins[unit + 1]};
  }
  return {0, 0};
}

Function function_of(const Activity& activity, SiteId site) {
  const Site& place = activity.trace->data().sites[site];
  return {place.file, place.function};
}

}  // namespace

bool adds_rare_lines(const Activity& activity, const Lane& lane, const RepeatLevel& shorter,
                     const RepeatLevel& longer) {
  if (shorter.explained < kShorterExplains || 2 * shorter.typical_length > longer.typical_length)
    return false;
  std::set<SiteId> usual;
  std::set<Function> functions;
  const auto [begin, end] = unit_of_typical_length(shorter);
  for (std::size_t i = begin; i < end; ++i) {
    const SiteId line = line_at(activity, lane.items[i].time);
    if (line == kNone) return false;
    usual.insert(line);
    functions.insert(function_of(activity, line));
  }
  const auto [from, to] = unit_of_typical_length(longer);
  std::size_t rare = 0;
  for (std::size_t i = from; i < to; ++i) {
    const SiteId line = line_at(activity, lane.items[i].time);
    if (line == kNone) return false;
    if (usual.contains(line)) continue;
    if (!functions.contains(function_of(activity, line))) return false;
    ++rare;
  }
  return rare > 0 &&
         static_cast<double>(rare) <= kMostRare * static_cast<double>(longer.typical_length) &&
         (to - from - rare) % shorter.typical_length == 0;
}

}  // namespace stepscope
