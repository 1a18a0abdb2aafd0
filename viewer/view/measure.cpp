// SPDX-License-Identifier: Apache-2.0
#include "viewer/view/measure.hpp"

#include <algorithm>

namespace stepscope::viewer {
namespace {

// The smallest value that at least `share` of them do not pass.
std::int64_t quantile(const std::vector<std::int64_t>& sorted, double share) {
  const auto rank = static_cast<std::size_t>(share * static_cast<double>(sorted.size()));
  return sorted[std::min(rank, sorted.size() - 1)];
}

std::vector<PartSum> owners_of(const Partition& partition, Interval range) {
  PerCause<std::int64_t> sums{};
  for (const Segment& segment : partition.segments)
    sums[index_of(segment.cause)] += intersect(segment.time, range).length();
  std::vector<PartSum> out;
  for (std::size_t i = 0; i < kCauseCount; ++i) {
    if (sums[i] > 0) out.push_back({static_cast<Cause>(i), sums[i]});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const PartSum& a, const PartSum& b) { return a.ns_total > b.ns_total; });
  return out;
}

LaneMeasure lane_measure(const Lane& lane, std::uint32_t index, Interval range) {
  LaneMeasure out{.lane = index};
  std::vector<std::int64_t> lengths;
  std::vector<Interval> inside;
  for (const Row& row : lane.rows) {
    for (std::uint32_t i = row.first_ending_after(range.begin);
         i < row.size() && row.time(i).begin < range.end; ++i) {
      lengths.push_back(row.time(i).length());
      inside.push_back(intersect(row.time(i), range));
      out.sum_ns += inside.back().length();
    }
  }
  out.count = lengths.size();
  if (lengths.empty()) return out;
  std::sort(lengths.begin(), lengths.end());
  out.busy_ns = total_length(unite(std::move(inside)));
  out.min_ns = lengths.front();
  out.p50_ns = quantile(lengths, 0.5);
  out.p99_ns = quantile(lengths, 0.99);
  out.max_ns = lengths.back();
  return out;
}

}  // namespace

Measurement measure(const Run& run, const std::vector<Lane>& lanes, Interval range) {
  Measurement out{.range = range, .owners = owners_of(run.attribution.process, range)};
  out.outside_ns = range.length();
  for (const PartSum& part : out.owners) out.outside_ns -= part.ns_total;
  for (std::uint32_t i = 0; i < lanes.size(); ++i) {
    if (lanes[i].kind == LaneKind::steps || lanes[i].kind == LaneKind::owners) continue;
    LaneMeasure lane = lane_measure(lanes[i], i, range);
    if (lane.count > 0) out.lanes.push_back(lane);
  }
  return out;
}

}  // namespace stepscope::viewer
