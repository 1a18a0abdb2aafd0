// SPDX-License-Identifier: Apache-2.0
#include "core/summary/rows/operation_rows.hpp"

#include <gtest/gtest.h>

namespace stepscope {
namespace {

const std::vector<KernelRow> kRows = {
    {"gemm", Cause::gpu_gemm, "forward", 3, 600, 0, {}},
    {"gemm", Cause::gpu_gemm, "backward", 2, 500, 0, {}},
    {"copy", Cause::copy_h2d_pinned, "forward", 1, 400, 800, 2e9},
    {"copy", Cause::copy_h2d_pinned, "forward", 1, 100, 800, 8e9},
    {"add", Cause::gpu_elementwise, "forward", 9, 90, 0, {}},
};

TEST(KernelGroups, SumsAreThoseOfTheRows) {
  for (const auto by :
       {KernelGrouping::none, KernelGrouping::name, KernelGrouping::cause, KernelGrouping::phase}) {
    std::int64_t ns = 0;
    std::uint64_t calls = 0;
    for (const KernelRow& row : group_kernels(kRows, by)) {
      ns += row.ns_total;
      calls += row.calls_total;
    }
    EXPECT_EQ(ns, 1690);
    EXPECT_EQ(calls, 16U);
  }
}

TEST(KernelGroups, OfANameSpanPhasesAndTakeTheRateOfTheirBytes) {
  const auto groups = group_kernels(kRows, KernelGrouping::name);
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0].name, "gemm");
  EXPECT_EQ(groups[0].ns_total, 1100);
  EXPECT_EQ(groups[0].phase, "");  // the group has two phases
  EXPECT_FALSE(groups[0].bytes_per_second);
  EXPECT_EQ(groups[1].phase, "forward");
  EXPECT_DOUBLE_EQ(*groups[1].bytes_per_second, 1600 / 500e-9);
}

TEST(KernelGroups, OfAPhaseAreNamedAfterIt) {
  const auto groups = group_kernels(kRows, KernelGrouping::phase);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].name, "forward");
  EXPECT_EQ(groups[0].ns_total, 1190);
  EXPECT_EQ(groups[1].name, "backward");
}

}  // namespace
}  // namespace stepscope
