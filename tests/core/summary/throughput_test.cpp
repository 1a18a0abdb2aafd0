// SPDX-License-Identifier: Apache-2.0
#include "core/summary/throughput.hpp"

#include <gtest/gtest.h>

#include "core/summary/summary.hpp"
#include "tests/core/attribution/random_attribution.hpp"

namespace stepscope {
namespace {

TEST(Throughput, IsTheWorkOverTheWallTimePerDevice) {
  // 4e13 FLOP in 50 ms on two devices: 400 TFLOP/s each.
  const Throughput t = throughput({.flops_per_step = 4e13}, 50e6, 2, "NVIDIA H100 80GB HBM3");
  EXPECT_NEAR(t.tflops_per_device, 400, 1e-9);
  EXPECT_EQ(t.peak_from, PeakFrom::table);
  EXPECT_NEAR(t.utilization.value_or(0), 400.0 / 989, 1e-12);
}

TEST(Throughput, AGivenPeakCountsMoreThanTheTable) {
  const Throughput t =
      throughput({.flops_per_step = 1e12, .peak_tflops = 494}, 10e6, 1, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(t.peak_from, PeakFrom::given);
  EXPECT_NEAR(t.utilization.value_or(0), 100.0 / 494, 1e-12);
}

TEST(Throughput, WithoutAKnownPeakThereIsNoUtilization) {
  const Throughput t = throughput({.flops_per_step = 1e12}, 10e6, 1, "NVIDIA X1");
  EXPECT_NEAR(t.tflops_per_device, 100, 1e-9);
  EXPECT_EQ(t.peak_from, PeakFrom::unknown);
  EXPECT_FALSE(t.utilization);
}

TEST(Throughput, PeaksAreFoundByWholeWordsOfTheName) {
  EXPECT_EQ(known_peak_tflops("NVIDIA H100 80GB HBM3"), 989);
  EXPECT_EQ(known_peak_tflops("NVIDIA H100 PCIe"), 756);
  EXPECT_EQ(known_peak_tflops("NVIDIA H200"), 989);
  EXPECT_EQ(known_peak_tflops("NVIDIA H200 NVL"), 835);
  EXPECT_EQ(known_peak_tflops("NVIDIA A100-SXM4-40GB"), 312);
  EXPECT_EQ(known_peak_tflops("NVIDIA A10"), 125);
  EXPECT_EQ(known_peak_tflops("NVIDIA L40S"), 362);
  EXPECT_EQ(known_peak_tflops("NVIDIA L40"), 181);
  EXPECT_EQ(known_peak_tflops("NVIDIA L4"), 121);
  for (const char* unknown : {"", "NVIDIA A10G", "NVIDIA H100", "Tesla T4", "NVIDIA H1000",
                              "NVIDIA H100 80GB HBM3 MIG 1g.10gb"})
    EXPECT_FALSE(known_peak_tflops(unknown)) << unknown;
}

Summary summary_with(const SummaryOptions& options) {
  const RandomCase c = RandomAttribution(3).make();
  return summarize(c.trace, c.steps, c.attribution, options);
}

TEST(Throughput, ASummaryHasItWhereItWasAskedFor) {
  EXPECT_FALSE(summary_with({}).throughput);
  const Summary s = summary_with({.flops = FlopOptions{.flops_per_step = 1e9, .peak_tflops = 10}});
  ASSERT_TRUE(s.throughput);
  const double devices = s.devices.empty() ? 1 : static_cast<double>(s.devices.size());
  EXPECT_NEAR(s.throughput->tflops_per_device * devices * s.partition.wall_ns_per_step(), 1e6, 1);
}

// A step that the profiler slowed says less than the program does.
TEST(Throughput, TheStepWithoutTheProfilerCounts) {
  const PartitionSummary traced = summary_with({}).partition;
  const double busy =
      static_cast<double>(traced.device_busy_ns_total) / static_cast<double>(traced.steps_counted);
  const auto plain = static_cast<std::int64_t>((busy + traced.wall_ns_per_step()) / 2);
  const Summary s = summary_with(
      {.plain_step_ns = plain, .flops = FlopOptions{.flops_per_step = 1e9, .peak_tflops = 10}});
  ASSERT_EQ(s.partition.corrected_step_ns, plain);
  ASSERT_LT(static_cast<double>(plain), traced.wall_ns_per_step());
  EXPECT_NEAR(s.throughput->tflops_per_device * static_cast<double>(s.throughput->devices) *
                  static_cast<double>(plain),
              1e6, 1);
}

}  // namespace
}  // namespace stepscope
