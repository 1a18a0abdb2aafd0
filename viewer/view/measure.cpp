// SPDX-License-Identifier: Apache-2.0
#include "viewer/view/measure.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace stepscope::viewer {
namespace {

std::vector<PartSum> range_owners(const Partition& partition, Interval range) {
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
  out.lengths = spread_of(lengths);
  out.busy_ns = total_length(unite(std::move(inside)));
  return out;
}

}  // namespace

Measurement measure(const Run& run, const std::vector<Lane>& lanes, Interval range) {
  Measurement out{.range = range, .owners = range_owners(run.attribution.process, range)};
  out.outside_ns = range.length();
  for (const PartSum& part : out.owners) out.outside_ns -= part.ns_total;
  for (std::uint32_t i = 0; i < lanes.size(); ++i) {
    if (lanes[i].kind == LaneKind::steps || lanes[i].kind == LaneKind::owners) continue;
    LaneMeasure lane = lane_measure(lanes[i], i, range);
    if (lane.lengths.count > 0) out.lanes.push_back(lane);
  }
  return out;
}

std::vector<OwnerPair> pair_owners(const Measurements& sides) {
  std::vector<OwnerPair> out;
  for (std::size_t side = 0; side < 2; ++side) {
    for (const PartSum& part : sides[side]->owners) {
      const auto same = [&](const OwnerPair& pair) { return pair.cause == part.cause; };
      auto at = std::find_if(out.begin(), out.end(), same);
      if (at == out.end()) at = out.insert(at, {part.cause, {}});
      at->ns[side] = part.ns_total;
    }
  }
  const auto most = [](const OwnerPair& pair) { return std::max(pair.ns[0], pair.ns[1]); };
  std::stable_sort(out.begin(), out.end(),
                   [&](const OwnerPair& a, const OwnerPair& b) { return most(a) > most(b); });
  return out;
}

std::vector<LanePair> pair_lanes(const Measurements& sides, const LaneLists& lanes) {
  using Key = std::tuple<LaneKind, std::string, std::size_t>;
  std::map<Key, std::size_t> places;
  std::vector<LanePair> out;
  for (std::size_t side = 0; side < 2; ++side) {
    std::map<std::pair<LaneKind, std::string>, std::size_t> seen;
    for (const LaneMeasure& measure : sides[side]->lanes) {
      const Lane& lane = (*lanes[side])[measure.lane];
      const Key key{lane.kind, lane.title, seen[{lane.kind, lane.title}]++};
      const auto [at, is_new] = places.try_emplace(key, out.size());
      if (is_new) out.emplace_back();
      out[at->second].sides[side] = &measure;
    }
  }
  return out;
}

}  // namespace stepscope::viewer
