// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/llm/rungs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace stepscope::llm {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Rungs, EachHasAllBelowIt) {
  EXPECT_THAT(names_of(*rungs_up_to("R0")), IsEmpty());
  EXPECT_THAT(names_of(*rungs_up_to("R3")), ElementsAre("tf32", "bf16", "sdpa"));
  EXPECT_THAT(names_of(*rungs_up_to("sdpa")), ElementsAre("tf32", "bf16", "sdpa"));
  EXPECT_EQ(title_of(*rungs_up_to("R4")), "R4");
}

TEST(Rungs, IdsAndNamesDiffer) {
  std::set<std::string> all;
  for (const Rung& rung : all_rungs()) {
    EXPECT_TRUE(all.insert(rung.id).second) << rung.id;
    EXPECT_TRUE(all.insert(rung.name).second) << rung.name;
  }
}

TEST(Rungs, SwitchingTakesWhatIsNeededAlong) {
  Rungs rungs;
  ASSERT_TRUE(switch_rungs(rungs, {"cudnn_attention", "packed"}, true));
  EXPECT_THAT(names_of(rungs), ElementsAre("sdpa", "cudnn_attention", "packed"));
  EXPECT_EQ(title_of(rungs), "sdpa,cudnn_attention,packed");
  ASSERT_TRUE(switch_rungs(rungs, {"sdpa"}, false));
  EXPECT_THAT(names_of(rungs), ElementsAre("packed"));
  rungs = {};
  ASSERT_TRUE(switch_rungs(rungs, {"fp8_head"}, true));
  EXPECT_THAT(names_of(rungs), ElementsAre("packed", "fp8", "fp8_head"));
  ASSERT_TRUE(switch_rungs(rungs, {"packed"}, false));
  EXPECT_THAT(names_of(rungs), IsEmpty());
}

TEST(Rungs, AnUnknownOneIsNamedWithThoseThatThereAre) {
  EXPECT_THAT(rungs_up_to("R99").error().message, HasSubstr("'R99' is no rung; there are: R0"));
  Rungs rungs;
  EXPECT_FALSE(switch_rungs(rungs, {"naive"}, true));
}

}  // namespace
}  // namespace stepscope::llm
