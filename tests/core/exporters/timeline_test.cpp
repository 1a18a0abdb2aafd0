// SPDX-License-Identifier: Apache-2.0
#include "core/exporters/timeline.hpp"

#include <map>
#include <random>

#include "tests/core/exporters/exported_run.hpp"

namespace stepscope::exporting {
namespace {

TEST(Lanes, WhatNestsSharesOneAndWhatCrossesDoesNot) {
  const auto lanes = in_lanes({{0, 100, "a"}, {10, 20, "b"}, {50, 120, "c"}, {130, 140, "d"}});
  ASSERT_EQ(lanes.size(), 2U);
  EXPECT_EQ(lanes[0].size(), 3U);
  ASSERT_EQ(lanes[1].size(), 1U);
  EXPECT_EQ(lanes[1][0].name, "c");
}

TEST(Lanes, AnySlicesAreKeptWholeAndNestWithinTheirLane) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<Slice> slices;
    for (int i = 0; i < 200; ++i) {
      const auto begin = static_cast<std::int64_t>(random() % 1000);
      slices.push_back({begin, begin + static_cast<std::int64_t>(random() % 100), "x"});
    }
    std::size_t kept = 0;
    for (const auto& lane : in_lanes(slices)) {
      kept += lane.size();
      for (std::size_t i = 0; i < lane.size(); ++i) {
        for (std::size_t j = i + 1; j < lane.size(); ++j) {
          const bool nested = lane[j].begin >= lane[i].end || lane[j].end <= lane[i].end;
          ASSERT_TRUE(nested);
          ASSERT_LE(lane[i].begin, lane[j].begin);
        }
      }
    }
    EXPECT_EQ(kept, slices.size());
  }
}

TEST(Timeline, HoldsEveryRangeOpStepAndSegment) {
  const ExportedRun run;
  std::map<TrackKind, std::size_t> slices;
  for (const Track& track : timeline_of(run.run()).tracks) {
    for (const auto& lane : track.lanes) slices[track.kind] += lane.size();
  }
  EXPECT_EQ(slices[TrackKind::thread], run.trace.host_ranges().size());
  EXPECT_EQ(slices[TrackKind::stream], run.trace.device_ops().size());
  EXPECT_EQ(slices[TrackKind::steps], run.steps.list.size());
  EXPECT_EQ(slices[TrackKind::causes], run.attribution.process.segments.size());
  EXPECT_EQ(slices[TrackKind::phases], run.attribution.visits.size());
}

}  // namespace
}  // namespace stepscope::exporting
