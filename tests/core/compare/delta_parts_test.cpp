// SPDX-License-Identifier: Apache-2.0
#include "core/compare/delta_parts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/compare/sample_sides.hpp"

namespace stepscope {
namespace {

std::vector<DeltaPart> parts_between(const std::vector<SampleCell>& a,
                                     const std::vector<SampleCell>& b) {
  return compare(side_of_cells(a), side_of_cells(b)).parts;
}

TEST(DeltaParts, TwiceTheCallsOfTheSameLengthAreAllCount) {
  const auto parts = parts_between({{.ns = 100, .calls = 10}}, {{.ns = 200, .calls = 20}});
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_EQ(parts[0].kind, DeltaKind::count);
  EXPECT_EQ(parts[0].delta_ns, 100);
  EXPECT_EQ(parts[0].a_calls, 10U);
  EXPECT_EQ(parts[0].b_calls, 20U);
}

TEST(DeltaParts, TheSameCallsTwiceAsLongAreAllPerCall) {
  const auto parts = parts_between({{.ns = 100, .calls = 10}}, {{.ns = 200, .calls = 10}});
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_EQ(parts[0].kind, DeltaKind::per_call);
  EXPECT_EQ(parts[0].delta_ns, 100);
}

TEST(DeltaParts, BothAtOnceAreSplitByTheShapleyMean) {
  // 10 calls of 10 ns become 20 of 30 ns: +10 calls x 20 ns, +20 ns x 15 calls.
  const auto parts = parts_between({{.ns = 100, .calls = 10}}, {{.ns = 600, .calls = 20}});
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].kind, DeltaKind::per_call);
  EXPECT_EQ(parts[0].delta_ns, 300);
  EXPECT_EQ(parts[1].kind, DeltaKind::count);
  EXPECT_EQ(parts[1].delta_ns, 200);
  EXPECT_EQ(parts[0].group, parts[1].group);
}

TEST(DeltaParts, WorkOfOneSideIsAddedOrRemoved) {
  const SampleCell only{.phase = "eval", .line = 99, .operation = "topk", .ns = 50, .calls = 5};
  const auto added = parts_between({{.ns = 100, .calls = 10}}, {{.ns = 100, .calls = 10}, only});
  ASSERT_EQ(added.size(), 1U);
  EXPECT_EQ(added[0].kind, DeltaKind::added);
  EXPECT_EQ(added[0].delta_ns, 50);
  const auto removed = parts_between({{.ns = 100, .calls = 10}, only}, {{.ns = 100, .calls = 10}});
  ASSERT_EQ(removed.size(), 1U);
  EXPECT_EQ(removed[0].kind, DeltaKind::removed);
  EXPECT_EQ(removed[0].delta_ns, -50);
}

TEST(DeltaParts, WaitingStandsAtTheLineThatWaited) {
  const auto waits = [](std::uint32_t line, std::int64_t ns) {
    return SampleCell{.cause = Cause::host_off_cpu, .line = line, .operation = "", .ns = ns};
  };
  const auto works = [](std::uint32_t line, const char* operation) {
    return SampleCell{.line = line, .operation = operation, .ns = 100, .calls = 1};
  };
  std::vector<SampleCell> a = {works(10, "mm"), works(20, "add"), works(30, "sum")};
  std::vector<SampleCell> b = a;
  a.push_back(waits(10, 900));
  b.push_back(waits(20, 1));
  b.push_back(waits(30, 5));
  const auto gone = parts_between(a, b);
  ASSERT_EQ(gone.size(), 3U);
  EXPECT_EQ(gone[0].line, 10U);
  EXPECT_EQ(gone[0].delta_ns, -900);
  EXPECT_EQ(gone[0].b_ns, 0);
  EXPECT_EQ(sum_of_deltas(parts_between(b, a)), -sum_of_deltas(gone));
}

TEST(DeltaParts, APartOfSeveralPlacesStandsAtTheLongest) {
  const auto gemm = [](std::uint32_t line, std::int64_t ns) {
    return SampleCell{.line = line, .ns = ns, .calls = 1, .function = std::to_string(line)};
  };
  const auto parts = parts_between({gemm(0, 900)}, {gemm(20, 1), gemm(30, 99)});
  ASSERT_FALSE(parts.empty());
  EXPECT_EQ(parts[0].line, 30U);
  const std::vector<SampleCell> both = {{.line = 10, .operation = "a", .ns = 50, .calls = 1},
                                        {.line = 30, .operation = "b", .ns = 50, .calls = 1}};
  std::vector<SampleCell> a = both, b = both;
  a.push_back({.line = 10, .ns = 900, .calls = 90});
  b.push_back({.line = 30, .ns = 9, .calls = 1});
  const auto shrunk = parts_between(a, b);
  ASSERT_FALSE(shrunk.empty());
  EXPECT_EQ(shrunk[0].line, 10U) << "where the time was";
}

TEST(DeltaParts, EachSidesWorkHasThatSidesName) {
  const auto op = [](const char* name) {
    return SampleCell{.operation = name, .ns = 50, .calls = 4};
  };
  EXPECT_EQ(parts_between({op("norm")}, {op("norm")}).size(), 0U);
  const auto one = parts_between({op("norm")}, {{.operation = "cat", .ns = 90, .calls = 1}});
  ASSERT_FALSE(one.empty());
  EXPECT_EQ(one[0].op, "norm -> cat");
  const auto several =
      parts_between({op("norm"), op("add")}, {{.operation = "cat", .ns = 90, .calls = 1}});
  ASSERT_FALSE(several.empty());
  EXPECT_EQ(several[0].op, "2 operations -> cat");
}

TEST(DeltaParts, SeveralKernelsForOneAreAReplacement) {
  const std::vector<SampleCell> unfused = {
      {.cause = Cause::gpu_elementwise, .operation = "mul", .ns = 100, .calls = 70},
      {.cause = Cause::gpu_elementwise, .operation = "add", .ns = 100, .calls = 70}};
  const std::vector<SampleCell> fused = {
      {.cause = Cause::gpu_elementwise, .operation = "adam_fused", .ns = 60, .calls = 10}};
  const Comparison c = compare(side_of_cells(unfused), side_of_cells(fused));
  ASSERT_EQ(c.replaced.size(), 1U);
  EXPECT_THAT(c.replaced[0].a_ops, testing::ElementsAre("add", "mul"));
  EXPECT_THAT(c.replaced[0].b_ops, testing::ElementsAre("adam_fused"));
  EXPECT_DOUBLE_EQ(c.replaced[0].a_calls_per_step, 14);
  EXPECT_DOUBLE_EQ(c.replaced[0].b_calls_per_step, 1);
  EXPECT_EQ(c.replaced[0].delta_ns, -140);
}

// Next to nothing is left in B: the part stands at B's line, in the function that B has there.
TEST(DeltaParts, AFunctionIsThatOfTheLinesSide) {
  const auto parts = parts_between({{.ns = 1000, .calls = 10, .function = "sample"}},
                                   {{.ns = 10, .calls = 10, .function = "batch"}});
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_EQ(parts[0].line, 10U);
  EXPECT_EQ(parts[0].function, "batch");
}

TEST(DeltaParts, WorkOfAnotherClassAtTheSameLineSharesAGroup) {
  const auto parts = parts_between(
      {{.cause = Cause::gpu_elementwise, .operation = "softmax", .ns = 100, .calls = 10}},
      {{.cause = Cause::gpu_attention, .operation = "flash_fwd", .ns = 30, .calls = 10}});
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].group, parts[1].group);
  EXPECT_EQ(parts[0].kind, DeltaKind::removed);
  EXPECT_EQ(parts[1].kind, DeltaKind::added);
}

}  // namespace
}  // namespace stepscope
