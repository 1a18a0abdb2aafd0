// SPDX-License-Identifier: Apache-2.0
#include "core/model/strings.hpp"

#include <gtest/gtest.h>

#include <string>

namespace stepscope {
namespace {

TEST(StringTable, SameTextSameIdAndEmptyIsZero) {
  StringTable table;
  EXPECT_EQ(table.intern(""), 0U);
  const StringId a = table.intern("aten::add");
  EXPECT_EQ(table.intern(std::string("aten::") + "add"), a);
  EXPECT_NE(table.intern("aten::mul"), a);
  EXPECT_EQ(table.find("never"), kNone);
}

TEST(StringTable, ViewsSurviveGrowthAndMove) {
  StringTable table;
  const StringId first = table.intern("first");
  const std::string_view view = table.view(first);
  for (int i = 0; i < 20000; ++i) table.intern("name " + std::to_string(i));
  table.intern(std::string(200'000, 'x'));
  const StringTable moved = std::move(table);
  EXPECT_EQ(view, "first");
  EXPECT_EQ(moved.view(moved.find("name 19999")), "name 19999");
  EXPECT_EQ(moved.view(first).data(), view.data());
}

}  // namespace
}  // namespace stepscope
