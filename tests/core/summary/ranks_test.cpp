// SPDX-License-Identifier: Apache-2.0
// Two ranks of which the second enters each collective late, and lengths of kernels.
#include "core/summary/ranks.hpp"

#include <gtest/gtest.h>

#include "core/summary/op_lengths.hpp"
#include "tests/core/model/trace_maker.hpp"

namespace stepscope {
namespace {

constexpr std::int64_t kStep = 1'000'000;

// Six steps a rank; rank 1 computes 50 us longer before it enters.
Trace two_ranks() {
  TraceMaker make;
  make.data.processes.resize(2);
  for (std::int32_t rank = 0; rank < 2; ++rank) {
    const auto process = static_cast<ProcessId>(rank);
    make.data.processes[process].rank = rank;
    make.data.processes[process].world_size = 2;
    make.data.threads.push_back({process, 100 + rank, ""});
    make.data.streams.push_back({process, 0, 0, 7, ""});
  }
  HostRanges& ranges = make.data.host_ranges;
  DeviceOps& ops = make.data.device_ops;
  const auto op = [&](std::uint32_t stream, const char* name, std::int64_t begin,
                      std::int64_t end) {
    ops.begin.push_back(begin);
    ops.end.push_back(end);
    ops.name.push_back(make.data.strings.intern(name));
    ops.kind.push_back(DeviceOpKind::kernel);
    ops.stream.push_back(stream);
    ops.correlation.push_back(0);
    ops.graph.push_back(0);
    ops.graph_node.push_back(0);
    ops.bytes.push_back(kUnknownBytes);
    ops.copy_kind.push_back(CopyKind::none);
    ops.source_memory.push_back(MemoryKind::unknown);
    ops.target_memory.push_back(MemoryKind::unknown);
    ops.launch_config.push_back(kNone);
  };
  for (std::int64_t step = 0; step < 6; ++step) {
    const std::int64_t begin = 1'000'000 + step * kStep;
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
      ranges.begin.push_back(begin);
      ranges.end.push_back(begin + kStep - 1'000);
      ranges.name.push_back(make.data.strings.intern("ProfilerStep#" + std::to_string(step)));
      ranges.thread.push_back(rank);
      ranges.kind.push_back(HostKind::user_scope);
      ranges.category.push_back(0);
      ranges.site.push_back(kNone);
      ranges.sequence.push_back(kNoSequence);
      ranges.forward_thread.push_back(kNone);
      const std::int64_t entry = begin + (rank == 0 ? 100'000 : 150'000);
      op(rank, "ampere_sgemm_128x64_nn", begin + 50'000, entry);
      op(rank, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", entry, begin + 200'000);
    }
  }
  return Trace::build(std::move(make.data));
}

TEST(CompareRanks, SaysWhoWaitsForWhomAndForHowLong) {
  const Ranks ranks = compare_ranks(two_ranks());
  ASSERT_EQ(ranks.rows.size(), 2U);
  EXPECT_TRUE(ranks.collectives_known);
  EXPECT_EQ(ranks.rows[0].waits_ns, 6 * 50'000);
  EXPECT_EQ(ranks.rows[0].waited_for_ns, 0);
  EXPECT_EQ(ranks.rows[0].collectives_last, 0U);
  EXPECT_EQ(ranks.rows[1].waits_ns, 0);
  EXPECT_EQ(ranks.rows[1].waited_for_ns, 6 * 50'000);
  EXPECT_EQ(ranks.rows[1].collectives_last, 6U);
  for (const RankRow& row : ranks.rows) {
    EXPECT_GT(row.steps_counted, 0U);
    EXPECT_NEAR(row.ns_per_step(), static_cast<double>(kStep), 2'000);
  }
}

TEST(CompareRanks, ARunOfOneHasNone) {
  TraceMaker make;
  make.thread(1);
  EXPECT_TRUE(compare_ranks(make.build()).rows.empty());
}

TEST(OpLengths, ASpreadAndAHistogramHoldEachLengthOnce) {
  const std::vector<std::int64_t> a = {100, 200, 300, 400, 5'000};
  const std::vector<std::int64_t> b = {0, 100};
  const LengthSpread spread = spread_of(a);
  EXPECT_EQ(spread.count, 5U);
  EXPECT_EQ(spread.sum_ns, 6'000);
  EXPECT_EQ(spread.min_ns, 100);
  EXPECT_EQ(spread.p50_ns, 300);
  EXPECT_EQ(spread.max_ns, 5'000);
  for (const std::size_t bins : {std::size_t{1}, std::size_t{7}, std::size_t{48}}) {
    const LengthHistogram histogram = histogram_of({a, b}, bins);
    ASSERT_EQ(histogram.edges.size(), bins + 1);
    std::uint64_t in_a = 0;
    std::uint64_t in_b = 0;
    for (std::size_t bin = 0; bin < bins; ++bin) {
      EXPECT_LE(histogram.edges[bin], histogram.edges[bin + 1]);
      in_a += histogram.counts[0][bin];
      in_b += histogram.counts[1][bin];
    }
    EXPECT_EQ(in_a, a.size());
    EXPECT_EQ(in_b, b.size());
  }
  EXPECT_TRUE(histogram_of({{}, {}}, 8).edges.empty());
}

}  // namespace
}  // namespace stepscope
