// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/common/switches.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace stepscope::trainers {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Set {
  bool first = false, second = false, third = false, apart = false;
};

constexpr std::array kAll{Switch<Set>{"R0", "start", "nothing", nullptr},
                          Switch<Set>{"R1", "first", "", &Set::first},
                          Switch<Set>{"R2", "second", "", &Set::second, &Set::first},
                          Switch<Set>{"R3", "third", "", &Set::third, &Set::second},
                          Switch<Set>{"", "apart", "", &Set::apart}};
constexpr Switches<Set> kSwitches("rung", kAll);

TEST(Switches, TheLadderHasAllBelowARungAndNothingBesideIt) {
  EXPECT_THAT(kSwitches.names_of(*kSwitches.up_to("R0")), IsEmpty());
  EXPECT_THAT(kSwitches.names_of(*kSwitches.up_to("second")), ElementsAre("first", "second"));
  EXPECT_EQ(kSwitches.title_of(*kSwitches.up_to("R3")), "R3");
  EXPECT_THAT(kSwitches.names_of(*kSwitches.up_to("R3")), ElementsAre("first", "second", "third"));
}

TEST(Switches, ASwitchBringsWhatItNeedsAndTakesAwayWhatNeedsIt) {
  Set set;
  ASSERT_TRUE(kSwitches.turn(set, {"third", "apart"}, true));
  EXPECT_EQ(kSwitches.title_of(set), "first,second,third,apart");
  ASSERT_TRUE(kSwitches.turn(set, {"R1"}, false));
  EXPECT_EQ(kSwitches.title_of(set), "apart");
  EXPECT_EQ(kSwitches.needed_by(kAll[3]), "second");
  EXPECT_EQ(kSwitches.needed_by(kAll[1]), "");
}

TEST(Switches, AnUnknownOneIsNamedWithThoseThatThereAre) {
  EXPECT_EQ(kSwitches.up_to("R9").error().message,
            "'R9' is no rung; there are: R0 start, R1 first, R2 second, R3 third, apart");
  EXPECT_FALSE(kSwitches.up_to(""));
  Set set;
  EXPECT_THAT(kSwitches.turn(set, {"start"}, true).error().message, HasSubstr("has no switch"));
}

}  // namespace
}  // namespace stepscope::trainers
