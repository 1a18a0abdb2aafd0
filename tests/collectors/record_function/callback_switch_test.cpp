// SPDX-License-Identifier: Apache-2.0
#include "collectors/record_function/callback_switch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace stepscope {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> told;

TorchLibrary torch() {
  TorchLibrary library;
  library.disable_callback = [](torch_abi::CallbackHandle handle) {
    told.push_back("-" + std::to_string(handle));
  };
  library.reenable_callback = [](torch_abi::CallbackHandle handle) {
    told.push_back("+" + std::to_string(handle));
  };
  return library;
}

class CallbackSwitchTest : public testing::Test {
 protected:
  CallbackSwitchTest() { told.clear(); }
};

TEST_F(CallbackSwitchTest, AllCallbacksFollowThePlan) {
  CallbackSwitch callbacks(torch(), false);
  callbacks.add(7);
  callbacks.add(9);
  EXPECT_TRUE(callbacks.is_on());
  EXPECT_EQ(callbacks.set_capturing(false), 0);
  EXPECT_FALSE(callbacks.is_on());
  EXPECT_EQ(callbacks.set_capturing(true), 1);
  EXPECT_THAT(told, ElementsAre("-7", "-9", "+7", "+9"));
}

TEST_F(CallbackSwitchTest, OfLayersInTurnTheWholeAloneHasThemHoweverItRecordsCalls) {
  CallbackSwitch callbacks(torch(), true);
  callbacks.add(1);
  for (int i = 0; i < 6; ++i) {
    callbacks.set_capturing(true);
    callbacks.set_capturing(false);
  }
  EXPECT_THAT(told,
              ElementsAre("+1", "-1", "-1", "-1", "-1", "-1", "-1", "-1", "+1", "-1", "+1", "-1"));
}

TEST_F(CallbackSwitchTest, GivesNoRows) {
  CallbackSwitch callbacks(torch(), false);
  EXPECT_FALSE(callbacks.due(1));
  EXPECT_TRUE(callbacks.outlives_fork());
  EXPECT_THAT(told, IsEmpty());
}

}  // namespace
}  // namespace stepscope
