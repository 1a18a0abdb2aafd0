// SPDX-License-Identifier: Apache-2.0
#include "collectors/recorder/range_stacks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

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
    collective(nccl, {.communicator = 1, .bytes = 1});  // of no range
    begin_range(nccl, HostKind::nvtx_range, name("ncclAllReduce"), name("NCCL"), 0, kNoSequence);
    begin_range(other, HostKind::nvtx_range, name("inner"), 0, 0, kNoSequence);
    collective(nccl, {.communicator = 0xfeed, .bytes = 4096, .reduce = ReduceOperation::average});
    end_range(other);
    end_range(nccl);
    begin_range(nccl, HostKind::nvtx_range, name("ncclSend"), name("NCCL"), 0, kNoSequence);
    collective(nccl, {.communicator = 0xfeed, .bytes = 8, .peer = 3});
    usleep(1'200'000);
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
