// SPDX-License-Identifier: Apache-2.0
// Rows of random events against sums that are made event by event.
#include "viewer/lod/row.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "viewer/lod/sub_lanes.hpp"
#include "viewer/lod/ticks.hpp"

namespace stepscope::viewer {
namespace {

std::uint32_t look_of(std::uint32_t index) {
  return 7 * index + 1;
}

// Short events, a long one now and then, empty ones, gaps and none.
Row random_row(std::uint32_t seed, std::uint32_t count) {
  std::mt19937 random(seed);
  const auto below = [&](std::uint32_t most) { return static_cast<std::int64_t>(random() % most); };
  Row row;
  std::int64_t at = 1'000'000;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::int64_t length = below(5) == 0 ? 0 : below(97) == 0 ? below(200'000) : below(900);
    row.add(at, at + length, i, look_of(i));
    at += length + (below(3) == 0 ? below(2'000) : 0);
  }
  row.finish();
  return row;
}

struct Expected {
  std::uint64_t count = 0;
  std::int64_t busy_ns = 0;
};

bool touches(Interval event, Interval span) {
  return event.begin < span.end && (event.end > span.begin || event.begin >= span.begin);
}

Expected expected(const Row& row, Interval span) {
  Expected out;
  for (std::uint32_t i = 0; i < row.size(); ++i) {
    if (!touches(row.time(i), span)) continue;
    ++out.count;
    out.busy_ns += intersect(row.time(i), span).length();
  }
  return out;
}

// Counts the box's events that begin right of its column.
std::uint32_t of_its_neighbour(const Row& row, const Box& box) {
  std::uint32_t out = 0;
  for (std::uint32_t i = box.first; i < box.first + box.count && !box.single(); ++i)
    out += row.time(i).begin >= box.time.end ? 1U : 0U;
  return out;
}

TEST(Row, BoxesHoldEachEventOnceAndTheirTimesSumExactly) {
  std::mt19937 random(7);
  std::vector<Box> boxes;
  for (std::uint32_t seed = 0; seed < 12; ++seed) {
    const Row row = random_row(seed, seed < 4 ? 40 * (seed + 1) : 30'000);
    const std::int64_t length = row.last_end() - 1'000'000;
    for (int query = 0; query < 60; ++query) {
      const auto whole = static_cast<std::uint64_t>(length);
      const std::int64_t begin = 1'000'000 + static_cast<std::int64_t>(random() % whole);
      const std::int64_t span =
          1 + static_cast<std::int64_t>((random() % whole) >> (random() % 16));
      const Interval view = {begin, begin + span};
      const bool moves = query % 2 == 1;
      row.boxes(view, 20 + static_cast<int>(random() % 2'000), boxes,
                moves ? Precision::moving : Precision::still);
      Expected got;
      std::uint32_t next = boxes.empty() ? 0 : boxes.front().first;
      for (const Box& box : boxes) {
        EXPECT_EQ(box.first, next);  // no event twice, none left out
        next = box.first + box.count;
        got.count += box.count;
        got.busy_ns += box.busy_ns;
        EXPECT_GE(box.longest, box.first);
        EXPECT_LT(box.longest, next);
        const std::uint32_t moved = of_its_neighbour(row, box);
        EXPECT_LE(moved * (moves ? 2U : 8U), box.count);
        EXPECT_EQ(box.look, look_of(box.longest));
      }
      const Expected want = expected(row, view);
      ASSERT_EQ(got.count, want.count) << "seed " << seed << " query " << query;
      ASSERT_EQ(got.busy_ns, want.busy_ns) << "seed " << seed << " query " << query;
    }
  }
}

TEST(Row, LongestIsThatOfEveryRange) {
  const Row row = random_row(3, 5'000);
  std::mt19937 random(9);
  for (int query = 0; query < 400; ++query) {
    const auto first = static_cast<std::uint32_t>(random() % 4'999);
    const auto last = first + 1 + static_cast<std::uint32_t>(random() % (5'000 - first));
    std::int64_t longest = 0;
    std::int64_t busy = 0;
    for (std::uint32_t i = first; i < last; ++i) {
      longest = std::max(longest, row.time(i).length());
      busy += row.time(i).length();
    }
    EXPECT_EQ(row.time(row.longest(first, last)).length(), longest);
    EXPECT_EQ(row.busy_ns(first, last), busy);
  }
}

TEST(Row, AnEventAPixelLongIsDrawnAlone) {
  Row row;
  for (std::uint32_t i = 0; i < 1'000; ++i) row.add(i, i + 1, i);
  row.add(1'000, 2'000, 1'000);
  for (std::uint32_t i = 0; i < 1'000; ++i) row.add(2'000 + i, 2'001 + i, 1'001 + i);
  row.finish();
  std::vector<Box> boxes;
  row.boxes({0, 3'000}, 3, boxes);
  ASSERT_EQ(boxes.size(), 3U);
  EXPECT_EQ(boxes[0].count, 1'000U);
  EXPECT_TRUE(boxes[1].single());
  EXPECT_EQ(boxes[1].time, (Interval{1'000, 2'000}));
  EXPECT_EQ(boxes[2].busy_ns, 1'000);
}

TEST(Row, EveryEventIsABoxOfItsOwnWhereItIsZoomedTo) {
  const Row row = random_row(5, 4'000);
  std::vector<Box> boxes;
  for (std::uint32_t i = 0; i < row.size(); ++i) {
    const Interval time = row.time(i);
    if (time.empty()) continue;  // several may begin in the same nanosecond
    const std::int64_t margin = std::max<std::int64_t>(50, time.length() / 4);
    row.boxes({time.begin - margin, time.end + margin}, 1'900, boxes);
    EXPECT_TRUE(std::any_of(boxes.begin(), boxes.end(), [&](const Box& box) {
      return box.single() && box.first == i && box.time == time;
    })) << i;
  }
}

TEST(Row, WithoutEventsOrWidthThereAreNoBoxes) {
  Row row;
  row.finish();
  std::vector<Box> boxes(3);
  row.boxes({0, 10}, 100, boxes);
  EXPECT_TRUE(boxes.empty());
  random_row(1, 10).boxes({0, 100}, 0, boxes);
  EXPECT_TRUE(boxes.empty());
}

TEST(SubLanes, OverlapsNestingAndEmptyEventsAllKeepARow) {
  SubLanes lanes;
  const std::vector<Interval> events = {{0, 100}, {10, 50},  {20, 30},   {50, 60},
                                        {50, 50}, {90, 130}, {100, 110}, {130, 131}};
  for (std::uint32_t i = 0; i < events.size(); ++i) lanes.add(events[i].begin, events[i].end, i);
  const std::vector<Row> rows = lanes.finish();
  std::vector<std::uint32_t> seen;
  for (const Row& row : rows) {
    for (std::uint32_t i = 0; i < row.size(); ++i) {
      EXPECT_EQ(row.time(i), events[row.id(i)]);
      seen.push_back(row.id(i));
    }
  }
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(seen, (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(rows.size(), 3U);
  EXPECT_EQ(lanes.overlaps(), 5U);
}

TEST(Ticks, AreRoundMultiplesAndNoMoreThanAsked) {
  for (const std::int64_t length : {100LL, 7'777LL, 1'000'000LL, 123'456'789'012LL}) {
    const Ticks marks = ticks({-length / 3, length}, 0, 12);
    EXPECT_LE(marks.at.size(), 13U);
    EXPECT_GE(marks.at.size(), 3U);
    for (const std::int64_t t : marks.at) EXPECT_EQ(t % marks.step_ns, 0);
  }
  EXPECT_EQ(tick_label(12'500'000, 500'000, 5'000'000), "12.5 ms");
  EXPECT_EQ(tick_label(-40, 20, 200), "-40 ns");
  EXPECT_EQ(tick_label(3'000'000'000, 1'000'000'000, 9'000'000'000), "3 s");
}

}  // namespace
}  // namespace stepscope::viewer
