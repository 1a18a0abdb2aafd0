// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/device/device_state.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "tests/core/model/trace_maker.hpp"

namespace stepscope {
namespace {

struct Made {
  Trace trace;
  std::vector<DeviceOpId> ops;
};

Made finish(TraceMaker& make) {
  Trace trace = make.build();
  std::vector<DeviceOpId> ops(trace.device_ops().size());
  std::iota(ops.begin(), ops.end(), 0U);
  return {std::move(trace), std::move(ops)};
}

TEST(DeviceState, ComputeBeforeCommunicationBeforeCopies) {
  TraceMaker make;
  make.kernel("copy", 1, 10, 100, 0);
  make.kernel("comm", 2, 20, 80, 0);
  make.kernel("compute", 3, 40, 60, 0);
  const Made made = finish(make);
  const std::vector<Cause> causes = {Cause::copy_d2h, Cause::comm_transfer, Cause::gpu_gemm};
  const auto segments = busy_segments(made.trace.device_ops(), made.ops, causes);
  ASSERT_EQ(segments.size(), 5U);
  const DeviceOpId owners[] = {0, 1, 2, 1, 0};
  const Interval times[] = {{10, 20}, {20, 40}, {40, 60}, {60, 80}, {80, 100}};
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(segments[i].op, owners[i]);
    EXPECT_EQ(segments[i].time, times[i]);
  }
}

TEST(DeviceState, AmongEqualsTheFirstKeepsTheTime) {
  TraceMaker make;
  make.kernel("a", 1, 5, 50, 0);
  make.kernel("b", 2, 10, 90, 0);
  const Made made = finish(make);
  const auto segments =
      busy_segments(made.trace.device_ops(), made.ops, {Cause::gpu_gemm, Cause::gpu_other});
  ASSERT_EQ(segments.size(), 2U);
  EXPECT_EQ(segments[0].time, (Interval{5, 50}));
  EXPECT_EQ(segments[1].time, (Interval{50, 90}));
}

TEST(DeviceState, SegmentsCoverExactlyTheUnionOfTheOps) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 500; ++round) {
    TraceMaker make;
    std::vector<Interval> intervals;
    for (std::uint32_t i = 0; i < 20; ++i) {
      const auto begin = static_cast<std::int64_t>(1 + random() % 100);
      intervals.push_back({begin, begin + static_cast<std::int64_t>(random() % 12)});
      make.kernel("k", i % 4, intervals.back().begin, intervals.back().end, 0);
    }
    const Made made = finish(make);
    std::vector<Cause> causes(made.ops.size());
    for (Cause& cause : causes)
      cause = static_cast<Cause>(random() % (index_of(Cause::copy_set) + 1));
    std::vector<Interval> covered;
    std::int64_t sum = 0;
    for (const BusySegment& s : busy_segments(made.trace.device_ops(), made.ops, causes)) {
      EXPECT_GE(s.time.begin, made.trace.device_ops().begin[s.op]);
      EXPECT_LE(s.time.end, made.trace.device_ops().end[s.op]);
      covered.push_back(s.time);
      sum += s.time.length();
    }
    EXPECT_EQ(unite(covered), unite(intervals));
    EXPECT_EQ(sum, total_length(unite(intervals)));
  }
}

}  // namespace
}  // namespace stepscope
