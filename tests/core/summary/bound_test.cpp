// SPDX-License-Identifier: Apache-2.0
#include "core/summary/summary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/summary/parts.hpp"
#include "tests/core/summary/simple_steps.hpp"

namespace stepscope {
namespace {

using testing::HasSubstr;

TEST(SummaryBound, BoundIsReadOffTheTimeInWhichTheDeviceHadNoWork) {
  EXPECT_EQ(loop_with(95, 5).sum().partition.bound, Bound::device);
  EXPECT_EQ(loop_with(70, 30).sum().partition.bound, Bound::mixed);
  EXPECT_EQ(loop_with(30, 70).sum().partition.bound, Bound::host);
  EXPECT_THAT(loop_with(95, 5).sum().partition.why_bound, HasSubstr("save at most 5.0 %"));
}

TEST(SummaryBound, IdleWithWorkAlreadyIssuedIsNotTheHosts) {
  SimpleSteps s;
  s.step(100);
  s.own(Cause::gpu_gemm, 50);
  s.own(Cause::graph_gap, 48);
  s.own(Cause::host_python, 2);
  EXPECT_EQ(s.sum().partition.host_wait_ns_total, 2);
}

// 20 of 100 worked: the verdict stands where a third of the work is lost, and not where the lost work
// may have filled the time.
TEST(SummaryBound, IdleTimeThatLostWorkMayFillIsNotTheHosts) {
  const auto bound = [](double lost) {
    PartitionSummary s = loop_with(20, 80).sum().partition;
    summary_parts::judge_bound(s, false, std::nullopt, lost);
    return s.bound;
  };
  EXPECT_EQ(bound(0), Bound::host);
  EXPECT_EQ(bound(0.5), Bound::host);
  EXPECT_EQ(bound(4), Bound::not_judged);
}

// Their lengths were read in another unit than their begins, say.
TEST(SummaryBound, KernelsOfAStreamThatRunBesideEachOtherGiveNoVerdict) {
  for (const std::int64_t length : {10, 60}) {
    SimpleSteps s = loop_with(70, 30);
    for (std::uint32_t k = 0; k < 5; ++k)
      s.make.kernel("k", 7, 1'000 + k * 20, 1'000 + k * 20 + length, k + 1);
    const Summary sum = s.sum();
    EXPECT_EQ(sum.partition.bound == Bound::not_judged, length == 60);
    EXPECT_EQ(sum.partition.why_bound.find("cannot be") != std::string::npos, length == 60);
  }
}

TEST(SummaryBound, AnInflatedTraceWhoseDeviceHardlyIdlesIsDeviceBoundWhateverThePlainStep) {
  SimpleSteps s = loop_with(95'000'000, 5'000'000);
  s.attribution.inflated = true;
  const Summary sum = s.sum();
  EXPECT_EQ(sum.partition.bound, Bound::device);
  EXPECT_THAT(sum.partition.why_bound, HasSubstr("even with its profiler"));
}

TEST(SummaryBound, AnInflatedTraceGivesTheFloorAndNoVerdict) {
  SimpleSteps s = loop_with(35'600'000, 22'900'000);
  s.attribution.inflated = true;
  const Summary sum = s.sum();
  EXPECT_EQ(sum.partition.bound, Bound::not_judged);
  EXPECT_THAT(sum.partition.why_bound, HasSubstr("between 35.6 ms (device work) and 58.5 ms"));
  EXPECT_THAT(sum.partition.why_bound, HasSubstr("at least 61 %"));
  EXPECT_FALSE(sum.partition.corrected_step_ns);
}

TEST(SummaryBound, ThePlainStepTimeCorrectsTheVerdict) {
  SimpleSteps s = loop_with(35'600'000, 22'900'000);
  s.attribution.inflated = true;
  const Summary sum = s.sum({.plain_step_ns = 38'200'000});
  EXPECT_EQ(sum.partition.bound, Bound::device);
  EXPECT_THAT(sum.partition.why_bound, HasSubstr("save at most 6.8 %"));
  EXPECT_EQ(sum.partition.corrected_step_ns, 38'200'000);
  EXPECT_NEAR(sum.trust.overhead_ns_per_step.value(), 20'300'000, 1);
}

TEST(SummaryBound, APlainStepTimeThatTheTraceForbidsIsRefused) {
  for (const std::int64_t plain : {30'000'000, 60'000'000}) {
    SimpleSteps s = loop_with(35'600'000, 22'900'000);
    s.attribution.inflated = true;
    const Summary sum = s.sum({.plain_step_ns = plain});
    EXPECT_EQ(sum.partition.bound, Bound::not_judged);
    EXPECT_THAT(sum.partition.why_bound, HasSubstr("outside what this trace allows"));
    EXPECT_FALSE(sum.partition.corrected_step_ns);
  }
}

TEST(SummaryBound, WithoutDeviceWorkNobodyIsBlamed) {
  SimpleSteps s;
  s.step(100);
  s.own(Cause::host_compute_gemm, 100);
  const Summary sum = s.sum();
  EXPECT_EQ(sum.partition.bound, Bound::not_judged);
  EXPECT_THAT(sum.partition.why_bound, HasSubstr("CPU ops compute 100 %"));
  EXPECT_TRUE(sum.trust.notes.empty());
}

TEST(SummaryBound, AProgramWithoutOperationsIsNotSaidToComputeNothing) {
  SimpleSteps s;
  s.step(100);
  s.own(Cause::host_python, 100);
  const Summary sum = s.sum();
  EXPECT_THAT(sum.partition.why_bound,
              HasSubstr("CPU ops compute 0 % of the time, or were not recorded"));
}

// A GPU machine, on which stepscope leaves operations out, and a program that uses no GPU.
TEST(SummaryBound, OperationsThatWereLeftOutAreSaidToBe) {
  SimpleSteps s;
  s.make.data.source = SourceKind::stepscope;
  s.make.data.processes[0].facts["torch"] = "2.11.0";
  s.step(100);
  s.own(Cause::host_python, 100);
  EXPECT_THAT(s.sum().partition.why_bound, HasSubstr("'stepscope profile --ops' records them"));
}

TEST(SummaryBound, AVerdictThatHangsOnWhatIsUnknownIsNotGiven) {
  SimpleSteps s;
  s.step(100);
  s.own(Cause::gpu_gemm, 30);
  s.own(Cause::unknown, 68);
  s.own(Cause::host_python, 2);
  const Summary sum = s.sum();
  EXPECT_EQ(sum.partition.bound, Bound::not_judged);
  EXPECT_THAT(sum.partition.why_bound, HasSubstr("2 to 70 %"));
}

}  // namespace
}  // namespace stepscope
