// SPDX-License-Identifier: Apache-2.0
// Golden texts: the whole screen for each kind of run. After an intended change, run the test with
// STEPSCOPE_UPDATE_GOLDEN=1 and read the difference before it is committed.
#include "reports/text/text_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/reports/sample_summaries.hpp"

namespace stepscope {
namespace {

std::string golden_path(const std::string& name) {
  return std::string(STEPSCOPE_SOURCE_DIR) + "/tests/reports/golden/" + name + ".txt";
}

std::string read(const std::string& path) {
  std::ostringstream out;
  out << std::ifstream(path).rdbuf();
  return out.str();
}

void expect_golden(const std::string& name, const std::string& text) {
  if (std::getenv("STEPSCOPE_UPDATE_GOLDEN") != nullptr) std::ofstream(golden_path(name)) << text;
  EXPECT_EQ(text, read(golden_path(name))) << "see " << golden_path(name);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

struct Sample {
  const char* name;
  Summary (*make)();
};

const Sample kSamples[] = {{"gpu", samples::gpu},
                           {"cpu", samples::cpu},
                           {"inflated", samples::inflated},
                           {"one_step", samples::one_step},
                           {"whole_trace", samples::whole_trace},
                           {"two_devices", samples::two_devices},
                           {"ranks", samples::ranks},
                           {"broken", samples::broken},
                           {"empty", samples::empty}};

TEST(TextReport, ReadsAsTheGoldenTexts) {
  for (const Sample& sample : kSamples) {
    SCOPED_TRACE(sample.name);
    expect_golden(sample.name, text_report(sample.make(), {.colour = false, .unicode = true}));
  }
}

TEST(TextReport, FallsBackToAsciiEverywhere) {
  const std::string text = text_report(samples::gpu(), {.colour = false, .unicode = false});
  expect_golden("gpu_ascii", text);
  EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](char c) { return c > 0; }));
}

TEST(TextReport, FitsOneScreen) {
  for (const Sample& sample : kSamples) {
    const auto lines = lines_of(text_report(sample.make(), {.colour = false, .unicode = true}));
    EXPECT_LE(lines.size(), 52U) << sample.name;
    for (const std::string& line : lines) EXPECT_LE(columns_of(line), 100U) << line;
  }
}

TEST(TextReport, ColourChangesNothingButColour) {
  for (const Sample& sample : kSamples) {
    const std::string plain = text_report(sample.make(), {.colour = false, .unicode = true});
    std::string coloured = text_report(sample.make(), {.colour = true, .unicode = true});
    EXPECT_NE(plain, coloured);
    for (std::size_t at = coloured.find('\x1b'); at != std::string::npos;
         at = coloured.find('\x1b')) {
      coloured.erase(at, coloured.find('m', at) + 1 - at);
    }
    EXPECT_EQ(plain, coloured) << sample.name;
  }
}

std::string report_with(const std::vector<DeviceHealth>& health) {
  Summary summary = samples::gpu();
  summary.device_health = health;
  return text_report(summary, {.colour = false, .unicode = true});
}

TEST(TextReport, ASharedDeviceIsSaid) {
  DeviceHealth health{.device = 0, .samples = 9, .memory_peak_bytes = 2e9, .other_processes = 0};
  EXPECT_THAT(report_with({health}), testing::Not(testing::HasSubstr("shared with")));
  health.other_processes = 3;
  EXPECT_THAT(report_with({health}), testing::HasSubstr("shared with 3 other processes, whose"));
  health.other_processes = 1;
  EXPECT_THAT(report_with({health}), testing::HasSubstr("shared with 1 other process, whose"));
}

TEST(TextReport, WithoutACopyThereIsNoColumnOfRates) {
  Summary summary = samples::gpu();
  summary.kernels.pop_back();
  EXPECT_THAT(text_report(summary, {}), testing::Not(testing::HasSubstr("GB/s")));
  EXPECT_THAT(text_report(samples::gpu(), {}), testing::HasSubstr("GB/s"));
}

std::string report_with(const FlopOptions& flops, const char* device) {
  Summary summary = samples::gpu();
  summary.throughput = throughput(flops, 38.2e6, 1, device);
  return text_report(summary, {});
}

TEST(TextReport, TheUtilizationStandsUnderTheVerdict) {
  EXPECT_THAT(report_with({.flops_per_step = 1.576e13}, "NVIDIA H200"),
              testing::HasSubstr("\n  MFU 41.7 %: 413 of 989 TFLOP/s a GPU (dense bf16)\n"));
  EXPECT_THAT(report_with({.flops_per_step = 1.576e13, .peak_tflops = 200}, "NVIDIA X1"),
              testing::HasSubstr("MFU 206.3 %: 413 of 200 TFLOP/s a GPU (peak as given); more than "
                                 "the peak: check --flops-per-step"));
  EXPECT_THAT(report_with({.flops_per_step = 1.576e13}, "NVIDIA X1"),
              testing::HasSubstr("\n  413 TFLOP/s a GPU; the peak of this device is not known: "
                                 "--peak-tflops gives the MFU\n"));
  EXPECT_THAT(text_report(samples::gpu(), {}), testing::Not(testing::HasSubstr("TFLOP/s")));
}

TEST(TextReport, WhyASteadyStepIsNotCountedIsSaid) {
  Summary summary = samples::gpu();
  std::vector<Step>& steps = summary.steps.list;
  summary.counted.erase(summary.counted.begin());  // step 2
  summary.counted.pop_back();                      // step 11
  steps[2].window.end = steps[2].window.begin;
  const std::string text = text_report(summary, {});
  EXPECT_THAT(text, testing::HasSubstr("step 2 (over before the work of an earlier step"));
  EXPECT_THAT(text, testing::HasSubstr("step 11 (the\n        trace ends first)"));
}

TEST(TextReport, WithoutSamplesNothingIsSaidOfDevices) {
  EXPECT_THAT(report_with({}), testing::Not(testing::HasSubstr("\nDevice  ")));
}

TEST(TextReport, AHealthyDeviceIsNotBlamed) {
  const std::string text = report_with({{.device = 0,
                                         .sm_clock_mhz = ClockSpread{1980, 1980, 1980, 1980},
                                         .reasons = {{"idle", "idle", 0.5},
                                                     {"application_clocks", "held", 0.9},
                                                     {"thermal", "throttled", 0.009}},
                                         .memory_peak_bytes = 5e9}});
  EXPECT_THAT(text, testing::HasSubstr("Device  SM clock 1980 MHz\n"
                                       "        memory 5.00 GB at most (too few samples for a "
                                       "trend)\n"));
}

TEST(TextReport, OfManyDevicesThoseWithTheLowestClocksAreShown) {
  std::vector<DeviceHealth> many;
  for (std::uint32_t i = 0; i < 8; ++i) {
    const double clock = i == 5 ? 1200 : 1900 + i;
    many.push_back({.device = i, .sm_clock_mhz = ClockSpread{clock, clock, clock, clock}});
  }
  EXPECT_THAT(report_with(many), testing::HasSubstr("Device  GPU 5: SM clock 1200 MHz\n"
                                                    "        GPU 0: SM clock 1900 MHz\n"
                                                    "        GPU 1: SM clock 1901 MHz\n"
                                                    "        5 more in --format json\n"));
}

}  // namespace
}  // namespace stepscope
