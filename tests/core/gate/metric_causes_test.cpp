// SPDX-License-Identifier: Apache-2.0
#include "core/gate/rules.hpp"

#include <gtest/gtest.h>

namespace stepscope {
namespace {

DeltaPart more_operations(const char* phase, const char* op, std::uint64_t calls,
                          std::uint32_t group) {
  DeltaPart part;
  part.cause = Cause::host_compute_other;
  part.phase = phase;
  part.op = op;
  part.kind = DeltaKind::count;
  part.delta_ns = 1000;
  part.b_calls = calls;
  part.group = group;
  return part;
}

// Two steps: 20 more operations a step in backward, 5 in the optimizer.
Comparison without_lines() {
  Comparison out;
  out.steps = 2;
  out.parts = {more_operations("backward", "aten::mm", 30, 1),
               more_operations("backward", "aten::mm", 30, 1),  // the same match's other part
               more_operations("backward", "aten::add", 10, 2),
               more_operations("optimizer", "aten::mul", 10, 3)};
  CountLineDelta row;
  row.operations = {"aten::add", "aten::mm", "aten::mul"};
  row.b_per_step = 25;
  out.counts = {{.counter = "cpu_ops", .a_per_step = 0, .b_per_step = 25, .lines = {row}}};
  return out;
}

const Metric kCpuOps{"cpu_ops", MetricKind::count};

TEST(MetricCauses, WhereNoLineIsKnownACountIsBlamedOnPhases) {
  const auto causes = causes_of(kCpuOps, without_lines());
  ASSERT_EQ(causes.size(), 2U);
  EXPECT_EQ(causes[0].phase, "backward");
  EXPECT_DOUBLE_EQ(causes[0].calls_per_step, 20);
  EXPECT_EQ(causes[1].phase, "optimizer");
  EXPECT_DOUBLE_EQ(causes[1].calls_per_step, 5);
}

TEST(MetricCauses, ALineIsBlamedForItsOwnCount) {
  Comparison difference = without_lines();
  difference.counts[0].lines[0].file = "train.py";
  difference.counts[0].lines[0].line = 7;
  const auto causes = causes_of(kCpuOps, difference);
  ASSERT_EQ(causes.size(), 1U);
  EXPECT_EQ(causes[0].line, 7U);
  EXPECT_DOUBLE_EQ(causes[0].calls_per_step, 25);
}

// A sum in Python before aten::mm: the product is behind that time, and no reason for it.
TEST(MetricCauses, TimeBetweenOperationsIsNoOperations) {
  Comparison difference;
  difference.steps = 2;
  difference.parts = {more_operations("forward", "aten::mm", 1, 1)};
  const Metric step_time{"step_time", MetricKind::time};
  EXPECT_EQ(causes_of(step_time, difference).at(0).operation, "aten::mm");
  difference.parts[0].cause = Cause::host_between_calls;
  const MetricCause between = causes_of(step_time, difference).at(0);
  EXPECT_EQ(between.operation, "");
  EXPECT_EQ(between.calls_per_step, 0);
  EXPECT_EQ(between.ns_per_step, 500);
}

}  // namespace
}  // namespace stepscope
