// SPDX-License-Identifier: Apache-2.0
#include "kernels/batch_topk/candidate.hpp"

#include <gtest/gtest.h>

namespace stepscope::kernels {
namespace {

TEST(Candidate, ComesBack) {
  const CandidateCode code{1000, 33};
  const std::int64_t last = (std::int64_t{1} << 33) - 1;
  for (const std::int64_t place : {std::int64_t{0}, std::int64_t{77}, last}) {
    const Cut cut = code.decode(code.encode(1000U + 0x7fffffffU, place));
    EXPECT_EQ(cut.key, 1000U + 0x7fffffffU);
    EXPECT_EQ(cut.place, place);
  }
}

TEST(Candidate, GreaterKeysThenLesserPlacesComeFirst) {
  const CandidateCode code{5, 4};
  EXPECT_GT(code.encode(7, 15), code.encode(6, 0));
  EXPECT_GT(code.encode(6, 0), code.encode(6, 1));
  EXPECT_GT(code.encode(6, 14), code.encode(6, 15));
}

TEST(Candidate, PlacesRunDownTheColumns) {
  EXPECT_LT(place_of(9, 0, 10), place_of(0, 1, 10));
  EXPECT_EQ(place_of(3, 2, 10), 23);
}

TEST(Cut, SelectsGreaterKeysAndEqualOnesUpToItsPlace) {
  const Cut cut{6, 20};
  EXPECT_TRUE(is_selected(cut, 7, 99));
  EXPECT_TRUE(is_selected(cut, 6, 20));
  EXPECT_FALSE(is_selected(cut, 6, 21));
  EXPECT_FALSE(is_selected(cut, 5, 0));
  EXPECT_FALSE(is_selected(Cut{}, 0xffffffffU, 0)) << "by default nothing is selected";
}

TEST(BitWidth, OfSizes) {
  EXPECT_EQ(bit_width_of(0), 0);
  EXPECT_EQ(bit_width_of(1), 1);
  EXPECT_EQ(bit_width_of(255), 8);
  EXPECT_EQ(bit_width_of(256), 9);
}

}  // namespace
}  // namespace stepscope::kernels
