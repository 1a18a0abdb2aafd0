// SPDX-License-Identifier: Apache-2.0
// Rings that are too small for what comes.
#include "collectors/recorder/live_files/ring.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "core/model/losses.hpp"
#include "tests/collectors/recorder/user_ranges.hpp"

namespace stepscope::recorder {
namespace {

using testing::Contains;

using RingTest = RecordedChild;

TEST_F(RingTest, AFullRingDropsWholeRangesAndCountsThem) {
  constexpr std::uint64_t kRanges = 5'000;
  record(
      [] {
        begin_user("outer");
        // The writer looks once in 10 s, and a small ring is full before it is called.
        for (std::uint64_t i = 0; i < kRanges; ++i) {
          begin_range(kLaneFunction, HostKind::op, name("inner"), 0, 0, kNoSequence);
          end_range(kLaneFunction);
        }
        end_range(kLaneUser);
      },
      {.slots = 64, .flush_ms = 10'000});
  const Trace trace = read();
  const std::uint64_t kept = trace.host_ranges().size();
  EXPECT_GT(trace.health().dropped_records, 0U);
  EXPECT_EQ(kept + trace.health().dropped_records, kRanges + 1);
  EXPECT_THAT(names_of(trace), Contains("outer"));
  const IntervalSet lost = lost_stretches(trace, 0);
  ASSERT_FALSE(lost.empty());
  EXPECT_GE(lost.back().end, trace.host_ranges().end[0]);
  EXPECT_EQ(trace.health().crossing_ranges, 0U);
  for (const std::int64_t end : trace.host_ranges().end) EXPECT_LE(end, trace.host_ranges().end[0]);
}

// How much of it the writer catches depends on the machine's load; what it catches is whole and in
// order.
TEST_F(RingTest, RecordsStayInOrderThroughASmallRingManyTimesOver) {
  constexpr std::uint32_t kRanges = 20'000, kSlots = 1U << 11U;
  record(
      [] {
        for (std::uint32_t i = 0; i < kRanges; ++i) {
          begin_range(kLaneUser, HostKind::user_scope, name("n"), 0, 0, i);
          end_range(kLaneUser);
          if (i % 200 == 199) usleep(2'000);
        }
      },
      {.slots = kSlots, .flush_ms = 1});
  const Trace trace = read();
  const HostRanges& rows = trace.host_ranges();
  EXPECT_EQ(rows.size() + trace.health().dropped_records, kRanges);
  EXPECT_GT(rows.size(), kSlots);  // twice round at the least
  EXPECT_TRUE(std::is_sorted(rows.sequence.begin(), rows.sequence.end()));
  for (std::size_t row = 0; row < rows.size(); ++row) ASSERT_GE(rows.end[row], rows.begin[row]);
}

}  // namespace
}  // namespace stepscope::recorder
