// SPDX-License-Identifier: Apache-2.0
#include "kernels/batch_topk/workspace.hpp"

#include <gtest/gtest.h>

namespace stepscope::kernels {
namespace {

TEST(BatchTopkWorkspace, PartsFollowEachOther) {
  BatchTopkArguments arguments;
  arguments.rows = 1024;
  arguments.columns = 49152;
  arguments.column_keys.source = KeySource::z_score;
  const BatchTopkWorkspace layout = workspace_of(arguments);
  const auto list_bytes = static_cast<std::size_t>(layout.candidate_capacity) * 8;
  const auto table_bytes =
      BatchTopkWorkspace::kRadixBins * static_cast<std::size_t>(layout.candidate_slots) * 8;
  EXPECT_LE(layout.state + BatchTopkWorkspace::kStateBytes, layout.candidate_bins);
  EXPECT_LE(layout.candidate_bins + 2 * BatchTopkWorkspace::kRadixBins * 4, layout.radix_histogram);
  EXPECT_LE(layout.radix_histogram + BatchTopkWorkspace::kRadixBins * 8, layout.zeroed_bytes);
  EXPECT_LE(layout.zeroed_bytes, layout.sample_coarse);
  EXPECT_LE(layout.sample_coarse + BatchTopkWorkspace::kRadixBins * 4, layout.sample_fine);
  EXPECT_LE(layout.sample_fine + BatchTopkWorkspace::kFineBins * 4, layout.sampling_zeroed_bytes);
  EXPECT_LE(layout.sampling_zeroed_bytes, layout.statistics);
  EXPECT_LE(layout.statistics + 49152UL * 8, layout.candidate_table);
  EXPECT_LE(layout.candidate_table + table_bytes, layout.candidate_list);
  EXPECT_LE(layout.candidate_list + list_bytes, layout.finalists);
  EXPECT_LE(layout.finalists + list_bytes, layout.bytes);
  EXPECT_LT(layout.bytes, 1024U * 49152U * 2U) << "less than the keys themselves";
}

TEST(BatchTopkWorkspace, BinsHaveSlotsAtEverySize) {
  BatchTopkArguments arguments;
  arguments.rows = 1;
  for (const std::int64_t columns : {1LL, 1LL << 20, (1LL << 31) - 1}) {
    arguments.columns = columns;
    const std::int64_t slots = workspace_of(arguments).candidate_slots;
    EXPECT_GE(slots, 8);
    EXPECT_LE(slots, BatchTopkWorkspace::kMostSlots);
    EXPECT_EQ(slots % 8, 0);
  }
}

TEST(BatchTopkWorkspace, AnEmptyMatrixNeedsLittle) {
  EXPECT_LT(workspace_of(BatchTopkArguments{}).bytes, 1U << 20);
}

}  // namespace
}  // namespace stepscope::kernels
