// SPDX-License-Identifier: Apache-2.0
#include "core/compare/delta_groups.hpp"

#include <gtest/gtest.h>

#include "tests/core/compare/sample_sides.hpp"

namespace stepscope {
namespace {

std::vector<DeltaPart> parts_of_groups(const std::vector<std::pair<std::uint32_t, int>>& parts) {
  std::vector<DeltaPart> out;
  for (const auto& [group, ns] : parts) {
    DeltaPart part;
    part.group = group;
    part.delta_ns = ns;
    out.push_back(part);
  }
  return out;
}

TEST(DeltaGroups, JoinTheSummandsOfOneMatch) {
  const auto parts = parts_of_groups({{1, -50}, {2, 40}, {1, 30}});
  const auto groups = group_parts(parts);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].delta_ns, 40);
  EXPECT_EQ(groups[1].delta_ns, -20);
  EXPECT_EQ(groups[1].largest().delta_ns, -50);
}

}  // namespace
}  // namespace stepscope
