// SPDX-License-Identifier: Apache-2.0
#include "collectors/recorder/draining/range_rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stepscope::recorder {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(RangeRows, WhatIsOpenLeavesTheBatchAndWhatRefersToRowsFollows) {
  EventBatch batch;
  RangeRows rows(batch);
  OpenRange outer{.begin = 1, .name = 5};
  OpenRange call{.begin = 2, .is_call = true, .has_message = true};
  rows.begin(outer);
  rows.begin(call);
  rows.end(call, 3);
  rows.remove_open();
  rows.list_open(outer, 4);
  EXPECT_THAT(batch.host_ranges.begin, ElementsAre(2));
  EXPECT_THAT(batch.calls.range, ElementsAre(0U));
  EXPECT_THAT(batch.collectives.range, ElementsAre(0U));
  EXPECT_THAT(batch.open.begin, ElementsAre(1));
  EXPECT_THAT(batch.open.lane, ElementsAre(4U));
}

TEST(RangeRows, ARangeThatWasListedAsOpenGetsItsRowInTheBatchOfItsEnd) {
  EventBatch batch;
  RangeRows rows(batch);
  OpenRange range{.begin = 1, .name = 5, .thread = 2};
  rows.begin(range);
  rows.remove_open();
  rows.list_open(range, 0);
  clear(batch);
  EXPECT_THAT(batch.host_ranges.begin, IsEmpty());
  rows.end(range, 9);
  EXPECT_THAT(batch.host_ranges.begin, ElementsAre(1));
  EXPECT_THAT(batch.host_ranges.end, ElementsAre(9));
  EXPECT_THAT(batch.host_ranges.name, ElementsAre(5U));
  EXPECT_THAT(batch.host_ranges.thread, ElementsAre(2U));
}

TEST(RangeRows, AValueOfACallIsAnEventOrASizeByWhatItDoes) {
  EventBatch batch;
  RangeRows rows(batch);
  rows.end({.is_call = true, .call = {.value = 77}, .api = ApiKind::event_record}, 1);
  rows.end({.is_call = true, .call = {.value = 77}, .api = ApiKind::memcpy_async}, 1);
  EXPECT_THAT(batch.calls.event, ElementsAre(77U, 0U));
  EXPECT_THAT(batch.calls.bytes, ElementsAre(kUnknownBytes, 77U));
}

TEST(RangeRows, AForwardThreadIsKeptWithItsRow) {
  EventBatch batch;
  RangeRows rows(batch);
  OpenRange open{.begin = 2};
  rows.whole({.begin = 1}, 9);
  rows.begin(open);
  rows.whole({.begin = 3, .sequence = 41, .forward_thread = 7}, 8);
  rows.whole({.begin = 4}, 5);
  rows.remove_open();
  EXPECT_THAT(batch.host_ranges.begin, ElementsAre(1, 3, 4));
  EXPECT_THAT(batch.host_ranges.sequence, ElementsAre(kNoSequence, 41U, kNoSequence));
  EXPECT_THAT(batch.host_ranges.forward_thread, ElementsAre(kNone, 7U, kNone));
}

}  // namespace
}  // namespace stepscope::recorder
