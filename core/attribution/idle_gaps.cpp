// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/idle_gaps.hpp"

#include <algorithm>

namespace stepscope {
namespace {

void name_largest_owner(const Partition& partition, IdleGap& gap) {
  gap.cause = owners_of(partition, gap).front().cause;
  std::int64_t longest = -1;
  for (std::uint32_t i = gap.first; i < gap.last; ++i) {
    const Segment& segment = partition.segments[i];
    if (segment.cause != gap.cause || segment.time.length() <= longest) continue;
    longest = segment.time.length();
    gap.phase = segment.phase;
    gap.site = segment.site;
  }
}

IdleGap gap_from(const Partition& partition, std::uint32_t first) {
  const std::vector<Segment>& segments = partition.segments;
  IdleGap gap;
  gap.first = first;
  gap.last = first;
  while (gap.last < segments.size() && !is_device_busy(segments[gap.last].cause)) ++gap.last;
  gap.time = {segments[first].time.begin, segments[gap.last - 1].time.end};
  if (first > 0) gap.before = segments[first - 1].device_evidence;
  if (gap.last < segments.size()) gap.after = segments[gap.last].device_evidence;
  name_largest_owner(partition, gap);
  return gap;
}

}  // namespace

std::vector<IdleGap> idle_gaps(const Partition& partition) {
  std::vector<IdleGap> out;
  if (partition.busy.empty()) return out;
  for (std::uint32_t i = 0; i < partition.segments.size(); ++i) {
    if (is_device_busy(partition.segments[i].cause)) continue;
    out.push_back(gap_from(partition, i));
    i = out.back().last - 1;
  }
  return out;
}

std::vector<GapOwner> owners_of(const Partition& partition, const IdleGap& gap) {
  PerCause<std::int64_t> sums{};
  for (std::uint32_t i = gap.first; i < gap.last; ++i)
    sums[index_of(partition.segments[i].cause)] += partition.segments[i].time.length();
  std::vector<GapOwner> out;
  for (std::size_t i = 0; i < kCauseCount; ++i) {
    if (sums[i] > 0) out.push_back({static_cast<Cause>(i), sums[i]});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const GapOwner& a, const GapOwner& b) { return a.ns > b.ns; });
  if (out.empty()) out.push_back({partition.segments[gap.first].cause, 0});
  return out;
}

}  // namespace stepscope
