// SPDX-License-Identifier: Apache-2.0
#include "core/support/name_pattern.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stepscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;

bool is_in(const std::string& pattern, std::string_view name) {
  const auto compiled = NamePattern::compile("--phase", pattern);
  EXPECT_TRUE(compiled.ok()) << compiled.error().message;
  return compiled->is_in(name);
}

TEST(NamePattern, IsSearchedAnywhereInAName) {
  EXPECT_TRUE(is_in("step #[0-9]+", "train step #12 of 40"));
  EXPECT_TRUE(is_in("", ""));
  EXPECT_FALSE(is_in("^step", "train step"));
  EXPECT_FALSE(is_in("Step", "step"));
}

TEST(NamePattern, TheSearchEndsInANameOfAnyLength) {
  const std::string long_name = std::string(4'000'000, 'a') + "b";
  EXPECT_FALSE(is_in("(a|aa)*b$", std::string(600, 'x')));
  EXPECT_FALSE(is_in("a.*b", long_name));
  EXPECT_TRUE(is_in("a{500}", long_name));
}

TEST(NamePattern, WhatIsNoPatternIsAUsageErrorThatNamesTheOption) {
  const auto compiled = NamePattern::compile("--step-marker", "(");
  ASSERT_FALSE(compiled.ok());
  EXPECT_EQ(compiled.error().code, ErrorCode::usage);
  EXPECT_THAT(compiled.error().message, AllOf(HasSubstr("--step-marker '('"), HasSubstr("\\(")));
}

}  // namespace
}  // namespace stepscope
