// SPDX-License-Identifier: Apache-2.0
#include "core/compare/work_matching.hpp"

#include <gtest/gtest.h>

#include "tests/core/compare/sample_sides.hpp"

namespace stepscope::compare_parts {
namespace {

struct Matched {
  std::vector<WorkItem> a, b;
  std::vector<WorkGroup> groups;

  Matched(const std::vector<SampleCell>& of_a, const std::vector<SampleCell>& of_b)
      : a(items_of(of_a)),
        b(items_of(of_b)),
        groups(match_work(a, b, LineMatching(lines_of(a), lines_of(b)))) {}
};

SampleCell kernel(const char* name, std::uint32_t line = 10, Cause cause = Cause::gpu_gemm) {
  return {.cause = cause, .line = line, .operation = name, .ns = 100, .calls = 10};
}

TEST(WorkMatching, TheSameOperationPairsBeforeItsFamily) {
  const Matched m({kernel("tile_64"), kernel("tile_128")},
                  {kernel("tile_128"), kernel("tile_256")});
  ASSERT_EQ(m.groups.size(), 2U);
  EXPECT_EQ(m.a[m.groups[0].a.at(0)].operation, "tile_128");
  EXPECT_EQ(m.b[m.groups[0].b.at(0)].operation, "tile_128");
  EXPECT_EQ(m.b[m.groups[1].b.at(0)].operation, "tile_256");
}

TEST(WorkMatching, OtherKernelsOfOneLineAndCauseAreNToM) {
  const Matched m({kernel("mul"), kernel("add"), kernel("sqrt")}, {kernel("fused")});
  ASSERT_EQ(m.groups.size(), 1U);
  EXPECT_EQ(m.groups[0].a.size(), 3U);
  EXPECT_EQ(m.groups[0].b.size(), 1U);
  EXPECT_FALSE(m.groups[0].replaced);
}

TEST(WorkMatching, AnotherClassAtTheLineIsReplaced) {
  const Matched m({kernel("softmax", 10, Cause::gpu_elementwise)},
                  {kernel("flash", 10, Cause::gpu_attention)});
  ASSERT_EQ(m.groups.size(), 1U);
  EXPECT_TRUE(m.groups[0].replaced);
}

TEST(WorkMatching, WaitingIsNeverReplacedByWork) {
  const Matched m({kernel("cudaStreamSynchronize", 10, Cause::host_sync_return)},
                  {kernel("flash", 10, Cause::gpu_attention)});
  EXPECT_EQ(m.groups.size(), 2U);
}

TEST(WorkMatching, WaitingAtOneLineIsNotThatOfAnother) {
  const std::vector<SampleCell> work = {kernel("mm", 10), kernel("add", 20)};
  std::vector<SampleCell> before = work, after = work;
  before.push_back(kernel("", 10, Cause::host_off_cpu));
  after.push_back(kernel("", 20, Cause::host_off_cpu));
  EXPECT_EQ(Matched(before, after).groups.size(), 4U);
}

TEST(WorkMatching, ASetOfAFewBytesReplacesNoKernels) {
  const SampleCell set = kernel("Memset", 10, Cause::copy_set);
  EXPECT_EQ(Matched({kernel("mul", 10, Cause::gpu_elementwise)}, {set}).groups.size(), 2U);
  SampleCell longer = kernel("softmax", 10, Cause::gpu_elementwise);
  longer.ns = 1'001;
  EXPECT_EQ(Matched({longer}, {kernel("flash", 10, Cause::gpu_attention)}).groups.size(), 2U);
}

TEST(WorkMatching, TheOnlyLineLeftOfAPhaseTookOver) {
  const auto other = [](const char* name, std::uint32_t line) {
    SampleCell cell = kernel(name, line, Cause::gpu_elementwise);
    cell.function = "line_" + std::to_string(line);
    return cell;
  };
  const std::vector<SampleCell> before = {other("mul", 30), other("add", 30), kernel("gemm", 10)};
  const Matched moved(before, {other("fused", 50), kernel("gemm", 10), kernel("conv", 60)});
  std::size_t together = 0;
  for (const WorkGroup& group : moved.groups)
    together += group.a.size() == 2 && group.b.size() == 1 ? 1U : 0U;
  EXPECT_EQ(together, 1U);
}

TEST(WorkMatching, AFewBytesOfAnotherLineTakeNothingOver) {
  SampleCell before = kernel("svd", 10, Cause::host_compute_other);
  SampleCell after = kernel("broadcast", 30, Cause::host_compute_other);
  before.function = "watch";
  before.ns = 1'001;
  EXPECT_EQ(Matched({before}, {after}).groups.size(), 2U);
  before.ns = 1'000;
  EXPECT_EQ(Matched({before}, {after}).groups.size(), 1U);
}

TEST(WorkMatching, AnUnknownLineMatchesByOperation) {
  const Matched m({kernel("gemm", 0)}, {kernel("gemm", 10)});
  ASSERT_EQ(m.groups.size(), 1U);
  EXPECT_EQ(m.groups[0].a.size() + m.groups[0].b.size(), 2U);
}

}  // namespace
}  // namespace stepscope::compare_parts
