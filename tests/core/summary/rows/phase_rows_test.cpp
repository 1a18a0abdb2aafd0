// SPDX-License-Identifier: Apache-2.0
#include "core/summary/summary.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "tests/core/summary/simple_steps.hpp"

namespace stepscope {
namespace {

const PhaseRow& row(const Summary& sum, std::string_view path) {
  for (const PhaseRow& r : sum.phases) {
    if (r.path == path) return r;
  }
  throw std::runtime_error("no phase " + std::string(path));
}

TEST(SummaryPhases, AnOuterPhaseHoldsItsInnerOnes) {
  SimpleSteps s;
  s.attribution.phases = {{"(no phase)", 0}, {"forward", 0}, {"topk", 1}};
  s.step(100);
  s.own(Cause::gpu_gemm, 30, 1);
  s.own(Cause::gpu_select, 50, 2);
  s.own(Cause::host_python, 20, 0);
  const Summary sum = s.sum();
  EXPECT_EQ(row(sum, "forward").wall_ns_total, 80);
  EXPECT_EQ(row(sum, "forward/topk").wall_ns_total, 50);
  EXPECT_EQ(row(sum, "forward/topk").parent, "forward");
  EXPECT_EQ(row(sum, "forward/topk").depth, 1U);
  EXPECT_EQ(row(sum, "(no phase)").wall_ns_total, 20);
  EXPECT_EQ(row(sum, "(no phase)").exposed_ns_total, 20);
  EXPECT_EQ(row(sum, "forward").exposed_ns_total, 0);
}

TEST(SummaryPhases, APhaseThatRunsNowAndThenIsAmortised) {
  SimpleSteps s;
  s.attribution.phases = {{"(no phase)", 0}, {"eval", 0}};
  for (int i = 0; i < 10; ++i) {
    s.step(100);
    s.own(Cause::gpu_gemm, 100, i == 4 ? 1 : 0);
  }
  const std::int64_t begin = s.steps.list[4].host.begin;
  s.attribution.visits = {{1, {begin, begin + 50}}};
  const Summary sum = s.sum();
  EXPECT_EQ(row(sum, "eval").steps_in, 1U);
  EXPECT_EQ(row(sum, "eval").every_steps, 10);
  EXPECT_EQ(row(sum, "eval").calls_total, 1U);
}

// Steps 4, 9 and 14 of 18, and then step 16, too.
TEST(SummaryPhases, APhaseAtOneDistanceRunsThatOften) {
  for (const bool is_regular : {true, false}) {
    SimpleSteps s;
    s.attribution.phases = {{"(no phase)", 0}, {"eval", 0}};
    for (std::uint32_t i = 0; i < 18; ++i) {
      const bool runs = i % 5 == 4 || (i == 16 && !is_regular);
      s.step(100);
      s.own(Cause::gpu_gemm, 100, runs ? 1 : 0);
      const std::int64_t begin = s.steps.list[i].host.begin;
      if (runs) s.attribution.visits.push_back({1, {begin, begin + 50}});
    }
    EXPECT_DOUBLE_EQ(row(s.sum(), "eval").every_steps, is_regular ? 5 : 18.0 / 4);
  }
}

// Steps 4, 9 and 14 of 20 evaluate; in step 7 a function of the evaluation is called by something else.
TEST(SummaryPhases, AShortVisitIsNoRunOfAPhaseThatComesSeldom) {
  for (const std::int64_t length : {10, 50}) {
    SimpleSteps s;
    s.attribution.phases = {{"(no phase)", 0}, {"eval", 0}};
    for (std::uint32_t i = 0; i < 20; ++i) {
      s.step(100);
      s.own(Cause::gpu_gemm, 100, 0);
      const std::int64_t begin = s.steps.list[i].host.begin;
      if (i % 5 == 4 && i < 15) s.attribution.visits.push_back({1, {begin, begin + 60}});
      if (i == 7) s.attribution.visits.push_back({1, {begin, begin + length}});
    }
    const Summary sum = s.sum();
    EXPECT_EQ(row(sum, "eval").steps_in, length == 10 ? 3U : 4U);
    EXPECT_EQ(row(sum, "eval").every_steps, 5);
    EXPECT_EQ(row(sum, "eval").calls_total, 4U);
  }
}

TEST(SummaryPhases, AVisitBelongsToTheStepOfTheHostNotOfTheWindow) {
  SimpleSteps s;
  s.attribution.phases = {{"(no phase)", 0}, {"loss", 0}};
  s.step(100, false);
  s.step(100);
  s.steps.list[0].host = {1'000, 1'010};  // the host is done early and runs ahead
  s.steps.list[1].host = {1'010, 1'020};
  s.attribution.visits = {{1, {1'005, 1'006}}, {1, {1'015, 1'016}}};
  s.own(Cause::gpu_gemm, 100, 1);
  EXPECT_EQ(row(s.sum(), "loss").calls_total, 1U);
}

TEST(SummaryPhases, DeviceTimeOfAPhaseCountsOverlapsOnceAndHiddenOpsToo) {
  SimpleSteps s;
  s.attribution.phases = {{"(no phase)", 0}, {"topk", 0}, {"comm", 0}};
  s.step(100);
  s.own(Cause::gpu_gemm, 100, 1);
  s.make.kernel("a", 7, 1'000, 1'060, 0);
  s.make.kernel("b", 8, 1'040, 1'100, 0);
  s.make.copy(CopyKind::peer, MemoryKind::device, MemoryKind::device, 9, 1'050, 1'070, 0, 4096);
  s.attribution.ops = {{Cause::gpu_gemm, 1}, {Cause::gpu_gemm, 1}, {Cause::copy_d2d, 2}};
  const Summary sum = s.sum();
  EXPECT_EQ(row(sum, "topk").gpu_busy_ns_total, 100);
  EXPECT_EQ(row(sum, "comm").gpu_busy_ns_total, 20);
  EXPECT_EQ(row(sum, "comm").bytes_total, 4096U);
  EXPECT_EQ(row(sum, "comm").wall_ns_total, 0);
  ASSERT_EQ(sum.kernels.size(), 3U);
  EXPECT_EQ(sum.kernels[0].ns_total, 60);
  EXPECT_EQ(sum.kernels[2].name, "Memcpy");
}

}  // namespace
}  // namespace stepscope
