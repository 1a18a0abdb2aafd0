// SPDX-License-Identifier: Apache-2.0
#include "core/summary/summary.hpp"

#include <gtest/gtest.h>

#include "tests/core/summary/simple_steps.hpp"

namespace stepscope {
namespace {

TEST(SummaryTables, TheRateOfCopiesLeavesOutThoseThatDoNotSayTheirBytes) {
  SimpleSteps s;
  s.step(1'000);
  s.own(Cause::copy_d2d, 1'000);
  for (const std::uint64_t bytes : {std::uint64_t{4'000}, std::uint64_t{2'000}, kUnknownBytes})
    s.make.copy(CopyKind::device_to_device, MemoryKind::device, MemoryKind::device, 7, 1'000, 1'100,
                0, bytes);
  s.make.kernel("k", 8, 1'000, 1'040, 0);
  s.attribution.ops.assign(4, {Cause::copy_d2d, 0});
  s.attribution.ops[0] = {Cause::gpu_other, 0};  // the kernel ends first
  const Summary sum = s.sum();
  ASSERT_EQ(sum.kernels.size(), 2U);
  EXPECT_EQ(sum.kernels[0].ns_total, 300);
  EXPECT_EQ(sum.kernels[0].bytes_total, 6'000U);
  EXPECT_NEAR(sum.kernels[0].bytes_per_second.value_or(0), 6'000 / 200e-9, 1);
  EXPECT_FALSE(sum.kernels[1].bytes_per_second);
}

TEST(SummaryTables, LinesCountTheEventsThatOwnTimeAndNameTheLongest) {
  SimpleSteps s;
  const SiteId site = s.make.site("train.py", 12);
  s.step(100);
  s.own(Cause::host_sync_return, 10, 0, site);
  s.attribution.process.segments.back().host_evidence = 5;
  s.own(Cause::gpu_gemm, 60);
  s.own(Cause::host_sync_return, 20, 0, site);
  s.attribution.process.segments.back().host_evidence = 9;
  s.own(Cause::host_sync_return, 10, 0, site);
  s.attribution.process.segments.back().host_evidence = 9;
  const Summary sum = s.sum();
  ASSERT_EQ(sum.lines.size(), 1U);
  EXPECT_EQ(sum.lines[0].ns_total, 40);
  EXPECT_EQ(sum.lines[0].calls_total, 2U);
  EXPECT_EQ(sum.lines[0].evidence, (std::vector<std::string>{"h9", "h5"}));
}

TEST(SummaryTables, AnEventThatOwnsTimeAtSeveralLinesIsACallOfEach) {
  SimpleSteps s;
  const SiteId one = s.make.site("train.py", 12);
  const SiteId two = s.make.site("train.py", 13);
  s.step(100);
  const auto own = [&s](std::int64_t ns, SiteId site, RangeId event) {
    s.own(Cause::host_python, ns, 0, site);
    s.attribution.process.segments.back().host_evidence = event;
  };
  own(10, one, 7);
  own(20, two, 7);
  own(15, one, 7);
  own(25, one, 3);
  own(5, two, 3);
  own(25, one, 1);
  const Summary sum = s.sum();
  ASSERT_EQ(sum.lines.size(), 2U);
  EXPECT_EQ(sum.lines[0].ns_total, 75);
  EXPECT_EQ(sum.lines[0].calls_total, 3U);
  EXPECT_EQ(sum.lines[0].evidence, (std::vector<std::string>{"h1", "h3", "h7"}));
  EXPECT_EQ(sum.lines[1].ns_total, 25);
  EXPECT_EQ(sum.lines[1].evidence, (std::vector<std::string>{"h7", "h3"}));
}

TEST(SummaryTables, ASegmentAcrossStepEndsCountsWhereItIsCounted) {
  SimpleSteps s;
  const SiteId site = s.make.site("train.py", 12);
  s.step(100, false);
  s.own(Cause::host_python, 60);
  s.own(Cause::profiler, 40, 0, site);
  s.step(100);
  s.own(Cause::profiler, 100, 0, site);
  std::vector<Segment>& segments = s.attribution.process.segments;
  segments[1].time.end = segments[2].time.end;
  segments[1].host_evidence = kNone;  // and nothing shows it
  segments.pop_back();
  const Summary sum = s.sum();
  ASSERT_EQ(sum.lines.size(), 1U);
  EXPECT_EQ(sum.lines[0].ns_total, 100);
  EXPECT_EQ(sum.lines[0].calls_total, 0U);
  EXPECT_TRUE(sum.lines[0].evidence.empty());
}

}  // namespace
}  // namespace stepscope
