// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/host/host_timeline.hpp"

#include <gtest/gtest.h>

#include <random>

#include "core/model/row_order.hpp"
#include "tests/core/model/trace_maker.hpp"

namespace stepscope {
namespace {

std::string_view name_at(const Trace& trace, const HostTimeline& timeline, std::int64_t t) {
  const RangeId range = timeline.at(t).innermost;
  return range == kNone ? "-" : trace.text(trace.host_ranges().name[range]);
}

TEST(HostTimeline, InnermostIsTheLatestBegunAmongTheActive) {
  TraceMaker make;
  make.range(HostKind::op, "outer", 1, 10, 50);
  make.range(HostKind::op, "inner", 1, 20, 30);
  const Trace trace = make.build();
  const HostTimeline timeline(trace, 0, TimelineOf::work);
  EXPECT_EQ(name_at(trace, timeline, 5), "-");
  EXPECT_EQ(name_at(trace, timeline, 10), "outer");
  EXPECT_EQ(name_at(trace, timeline, 20), "inner");
  EXPECT_EQ(name_at(trace, timeline, 30), "outer");
  EXPECT_EQ(name_at(trace, timeline, 50), "-");
  EXPECT_EQ(timeline.piece_before(30).time, (Interval{20, 30}));
}

TEST(HostTimeline, AnnotationsDoNotHideTheFrameThatOpenedThem) {
  TraceMaker make;
  make.range(HostKind::python_function, "step", 1, 0, 100);
  make.range(HostKind::user_scope, "phase", 1, 10, 90);
  const Trace trace = make.build();
  EXPECT_EQ(name_at(trace, HostTimeline(trace, 0, TimelineOf::work), 50), "step");
  EXPECT_EQ(name_at(trace, HostTimeline(trace, 0, TimelineOf::annotations), 50), "phase");
  EXPECT_EQ(name_at(trace, HostTimeline(trace, 0, TimelineOf::calls), 50), "-");
}

TEST(HostTimeline, AFunctionThatReturnsEarlierDoesNotEncloseWhatItOpened) {
  TraceMaker make;
  make.range(HostKind::python_function, "main", 1, 0, 100);
  make.range(HostKind::python_function, "open_scope", 1, 5, 20);
  make.range(HostKind::user_scope, "scope", 1, 10, 90);
  const Trace trace = make.build();
  EXPECT_EQ(trace.host_ranges().parent[2], 1U);
  EXPECT_EQ(enclosing_ranges(trace.host_ranges())[2], 0U);
  EXPECT_EQ(enclosing_ranges(trace.host_ranges())[1], 0U);
  EXPECT_EQ(enclosing_ranges(trace.host_ranges())[0], kNone);
}

TEST(HostTimeline, NeighbouringRangesAreFound) {
  TraceMaker make;
  make.range(HostKind::op, "first", 1, 10, 20);
  make.range(HostKind::op, "second", 1, 40, 50);
  const Trace trace = make.build();
  const HostTimeline timeline(trace, 0, TimelineOf::calls);
  EXPECT_EQ(timeline.previous_range(40).time, (Interval{10, 20}));
  EXPECT_EQ(timeline.next_range(11).time, (Interval{40, 50}));
  EXPECT_EQ(timeline.next_range(41).innermost, kNone);
  EXPECT_EQ(timeline.previous_range(10).innermost, kNone);
}

// Returns the range active at t that began last: rows are sorted by begin.
RangeId innermost_at(const HostRanges& h, std::int64_t t) {
  RangeId found = kNone;
  for (RangeId r = 0; r < h.size(); ++r) {
    if (h.begin[r] <= t && t < h.end[r]) found = r;
  }
  return found;
}

// Crossing, nested, empty and equal ranges, asked for in any order: each moment agrees with a
// search over all of them, whatever was asked before.
TEST(HostTimeline, AgreesWithASearchOverAllRanges) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 300; ++round) {
    TraceMaker make;
    for (int i = 0; i < 12; ++i) {
      const auto begin = static_cast<std::int64_t>(random() % 40);
      make.range(HostKind::op, std::to_string(i), 1, begin,
                 begin + static_cast<std::int64_t>(random() % 20));
    }
    const Trace trace = make.build();
    const HostRanges& h = trace.host_ranges();
    const HostTimeline timeline(trace, 0, TimelineOf::work);
    for (int question = 0; question < 120; ++question) {
      const std::int64_t t = question < 60 ? question : static_cast<std::int64_t>(random() % 60);
      ASSERT_EQ(timeline.at(t).innermost, innermost_at(h, t)) << "round " << round << " t " << t;
      ASSERT_TRUE(timeline.at(t).time.contains(t));
      std::int64_t before = t - 1;
      while (before >= 0 && innermost_at(h, before) == kNone) --before;
      ASSERT_EQ(timeline.previous_range(t).innermost, innermost_at(h, before));
      std::int64_t next = t;
      while (next < 70 &&
             (innermost_at(h, next) == kNone || innermost_at(h, next) == innermost_at(h, next - 1)))
        ++next;
      ASSERT_EQ(timeline.next_range(t).innermost, innermost_at(h, next)) << round << " at " << t;
    }
  }
}

}  // namespace
}  // namespace stepscope
