// SPDX-License-Identifier: Apache-2.0
#include "collectors/recorder/draining/range_stacks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "core/model/losses.hpp"
#include "tests/collectors/recorder/user_ranges.hpp"

namespace stepscope::recorder {
namespace {

using testing::Each;
using testing::ElementsAre;

using RangeStacksTest = RecordedChild;

// The second range is open while a chunk is written, so its row is in a later one.
TEST_F(RangeStacksTest, AMessageBelongsToTheInnermostOpenRangeOfItsLane) {
  record([] {
    const std::uint16_t nccl = kFirstNvtxLane, other = kFirstNvtxLane + 1;
    collective(nccl, {.communicator = 1, .bytes = 1});  // no range is open
    begin_range(nccl, HostKind::nvtx_range, name("ncclAllReduce"), name("NCCL"), 0, kNoSequence);
    begin_range(other, HostKind::nvtx_range, name("inner"), 0, 0, kNoSequence);
    collective(nccl, {.communicator = 0xfeed, .bytes = 4096, .reduce = ReduceOperation::average});
    end_range(other);
    end_range(nccl);
    begin_range(nccl, HostKind::nvtx_range, name("ncclSend"), name("NCCL"), 0, kNoSequence);
    collective(nccl, {.communicator = 0xfeed, .bytes = 8, .peer = 3});
    wait_until_written();
    end_range(nccl);
  });
  const Trace trace = read();
  const Collectives& rows = trace.data().collectives;
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(trace.text(trace.host_ranges().name[rows.range[0]]), "ncclAllReduce");
  EXPECT_EQ(trace.text(trace.host_ranges().name[rows.range[1]]), "ncclSend");
  EXPECT_THAT(rows.communicator, Each(0xfeedU));
  EXPECT_THAT(rows.bytes, ElementsAre(4096U, 8U));
  EXPECT_THAT(rows.reduce, ElementsAre(ReduceOperation::average, ReduceOperation::none));
  EXPECT_THAT(rows.peer, ElementsAre(kNone, 3U));
}

// A loop that pushes and never pops.
TEST_F(RangeStacksTest, RangesThatNobodyEndsAreBounded) {
  constexpr std::size_t kDeepest = 1'023;
  record([] {
    for (std::size_t i = 0; i < kDeepest + 100; ++i) begin_user("push");
    begin_range(kLaneFunction, HostKind::op, name("another lane"), 0, 0, kNoSequence);
    end_range(kLaneFunction);
    for (int i = 0; i < 101; ++i) end_range(kLaneUser);
    begin_user("room again");
    end_range(kLaneUser);
  });
  const Trace trace = read();
  EXPECT_EQ(trace.host_ranges().size(), kDeepest + 2);
  EXPECT_THAT(names_of(trace), testing::Contains("room again"));
  EXPECT_EQ(trace.health().dropped_records, 100U);
  EXPECT_TRUE(lost_stretches(trace, 0).empty()) << "there was room";
  EXPECT_THAT(notes(), testing::Contains(testing::HasSubstr("does a range never end?")));
}

TEST(RangeStacks, AnEndEndsTheInnermostRangeOfItsLane) {
  EventBatch batch;
  RangeStacks stacks(7, batch);
  stacks.begin(0, {.begin = 1});
  stacks.begin(1, {.begin = 2});
  stacks.begin(0, {.begin = 3});
  stacks.end(0, 4);
  stacks.end(1, 5);
  stacks.end(0, 6);
  EXPECT_THAT(batch.host_ranges.begin, ElementsAre(1, 2, 3));
  EXPECT_THAT(batch.host_ranges.end, ElementsAre(6, 5, 4));
  EXPECT_THAT(batch.host_ranges.thread, Each(7U));
}

TEST(RangeStacks, AnEndWhoseBeginIsNotKnownIsALateOne) {
  EventBatch batch;
  RangeStacks stacks(7, batch);
  stacks.end(2, 50);
  EXPECT_THAT(batch.late_ends.time, ElementsAre(50));
  EXPECT_THAT(batch.late_ends.thread, ElementsAre(7U));
  EXPECT_THAT(batch.late_ends.lane, ElementsAre(2U));
}

TEST(RangeStacks, OpenCallsEndTogetherAndNeverBeforeTheyBegan) {
  EventBatch batch;
  RangeStacks stacks(7, batch);
  stacks.begin(kLaneUser, {.begin = 1});
  stacks.begin(kLaneCall, {.begin = 2, .is_call = true});
  stacks.begin(kLaneCall, {.begin = 9, .is_call = true});
  stacks.end_calls(5);
  EXPECT_THAT(batch.calls.range, ElementsAre(2U, 1U));
  EXPECT_EQ(batch.host_ranges.end[1], 5);
  EXPECT_EQ(batch.host_ranges.end[2], 9);
  stacks.list_open();
  EXPECT_THAT(batch.open.begin, ElementsAre(1));
}

}  // namespace
}  // namespace stepscope::recorder
