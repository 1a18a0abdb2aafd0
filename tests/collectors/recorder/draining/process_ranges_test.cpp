// SPDX-License-Identifier: Apache-2.0
#include "collectors/recorder/draining/process_ranges.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "tests/collectors/recorder/user_ranges.hpp"

namespace stepscope::recorder {
namespace {

using testing::ElementsAre;

using testing::IsEmpty;
using ProcessRangesTest = RecordedChild;

TEST_F(ProcessRangesTest, ARangeMayEndOnAnotherThread) {
  record([] {
    begin_process_range(42, name("request"), name("domain"));
    std::thread([] { end_process_range(42); }).join();
  });
  const Trace trace = read();
  ASSERT_THAT(names_of(trace), ElementsAre("request"));
  EXPECT_EQ(trace.text(trace.host_ranges().category[0]), "domain");
}

TEST_F(ProcessRangesTest, RangesThatNobodyEndsAreBounded) {
  record([] {
    for (std::uint64_t id = 0; id < ProcessRanges::kMostOpen + 100; ++id)
      begin_process_range(id, name("request"), 0);
    for (std::uint64_t id = 0; id < 10; ++id) end_process_range(id);
  });
  EXPECT_EQ(names_of(read()).size(), ProcessRanges::kMostOpen);
  EXPECT_EQ(read().health().dropped_records, 100U);
  EXPECT_THAT(notes(), testing::Contains(testing::HasSubstr("does one never end?")));
}

TEST(ProcessRanges, AnEndThatIsReadFirstWaitsForItsBegin) {
  EventBatch batch;
  ProcessRanges ranges(batch);
  ranges.end(1, 50);
  ranges.retry_early_ends();
  ranges.begin(1, {.begin = 40});
  ranges.retry_early_ends();
  EXPECT_THAT(batch.host_ranges.begin, ElementsAre(40));
  EXPECT_THAT(batch.host_ranges.end, ElementsAre(50));
  ranges.list_open();
  EXPECT_THAT(batch.open.begin, IsEmpty());
}

TEST(ProcessRanges, AnEndWithoutItsBeginIsForgottenAfterTwoBatches) {
  EventBatch batch;
  ProcessRanges ranges(batch);
  ranges.end(1, 50);
  ranges.retry_early_ends();
  ranges.retry_early_ends();
  ranges.begin(1, {.begin = 40});
  ranges.retry_early_ends();
  EXPECT_THAT(batch.host_ranges.begin, IsEmpty());
  ranges.list_open();
  EXPECT_THAT(batch.open.begin, ElementsAre(40));
}

TEST(ProcessRanges, AnEndFromBeforeTheBeginIsNotThisRanges) {
  EventBatch batch;
  ProcessRanges ranges(batch);
  ranges.begin(1, {.begin = 40});
  ranges.end(1, 39);
  ranges.end(1, 41);
  EXPECT_THAT(batch.host_ranges.end, ElementsAre(41));
}

}  // namespace
}  // namespace stepscope::recorder
