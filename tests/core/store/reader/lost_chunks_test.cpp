// SPDX-License-Identifier: Apache-2.0
#include "core/store/reader/lost_chunks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/model/losses.hpp"

namespace stepscope::store {
namespace {

using testing::ElementsAre;

ChunkHeader chunk(std::uint32_t sequence, std::int64_t first, std::int64_t last,
                  std::uint32_t session = 1) {
  ChunkHeader header;
  header.sequence = sequence, header.session = session;
  header.first_ns = first, header.last_ns = last;
  return header;
}

IntervalSet lost_of(const std::vector<ChunkHeader>& sound, bool is_torn = false) {
  LostChunks lost;
  for (const ChunkHeader& header : sound) lost.add(header, true);
  return lost.stretches(is_torn, 1000);
}

TEST(LostChunks, NoneIsLost) {
  EXPECT_TRUE(lost_of({chunk(0, 100, 200), chunk(1, 190, 300), chunk(2, 300, 1000)}).empty());
}

TEST(LostChunks, FromTheOneBeforeToTheNext) {
  EXPECT_THAT(lost_of({chunk(0, 100, 200), chunk(2, 300, 400), chunk(5, 700, 1000)}),
              ElementsAre(Interval{200, 300}, Interval{400, 700}));
}

// A range that began before the loss and ended behind it.
TEST(LostChunks, WhereTheirNeighboursOverlapTheOverlap) {
  EXPECT_THAT(lost_of({chunk(0, 100, 500), chunk(2, 300, 1000)}), ElementsAre(Interval{300, 501}));
  EXPECT_THAT(lost_of({chunk(0, 200, 500), chunk(2, 100, 1000)}), ElementsAre(Interval{200, 501}));
}

TEST(LostChunks, BeforeTheFirstAndBehindTheLast) {
  EXPECT_THAT(lost_of({chunk(1, 300, 1000)}), ElementsAre(Interval{0, 300}));
  EXPECT_THAT(lost_of({chunk(0, 100, 400)}, true), ElementsAre(Interval{400, 1000}));
}

TEST(LostChunks, ChunksWithoutTimesSayNothing) {
  EXPECT_THAT(lost_of({chunk(0, 100, 200), chunk(2, 0, 0), chunk(3, 600, 1000)}),
              ElementsAre(Interval{200, 600}));
}

TEST(LostChunks, SessionsAreToldApart) {
  EXPECT_THAT(lost_of({chunk(0, 100, 200), chunk(0, 150, 300, 2), chunk(2, 700, 1000)}),
              ElementsAre(Interval{200, 700}));
}

TEST(LostChunks, OneThatCannotBeReadIsLost) {
  LostChunks lost;
  lost.add(chunk(0, 100, 200), true), lost.add(chunk(1, 200, 400), false);
  lost.add(chunk(2, 400, 1000), true);
  EXPECT_THAT(lost.stretches(false, 1000), ElementsAre(Interval{200, 400}));
}

TEST(LostStretches, TheirTextIsReadBack) {
  const IntervalSet stretches{{-5, 3}, {1'795'590'950'236'055'668, 1'795'590'950'236'055'700}};
  EXPECT_EQ(stretches_of_text(text_of_stretches(stretches)), stretches);
  EXPECT_TRUE(stretches_of_text("").empty());
  EXPECT_THAT(stretches_of_text("1 2, 5 4, 7 9, x"), ElementsAre(Interval{1, 2}, Interval{7, 9}));
}

}  // namespace
}  // namespace stepscope::store
