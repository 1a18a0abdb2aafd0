// SPDX-License-Identifier: Apache-2.0
// Golden texts: the whole screen for each kind of run. After an intended change, run the test with
// STEPSCOPE_UPDATE_GOLDEN=1 and read the difference before it is committed.
#include "reports/text/text_pages.hpp"

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

// Lines of the section about what to do, which a screen may be longer by.
std::size_t lines_of_findings(const Summary& summary) {
  const std::vector<std::string> lines = lines_of(text_report(summary, {}));
  const auto begin = std::find_if(lines.begin(), lines.end(), [](const std::string& line) {
    return line.starts_with("What to do");
  });
  return static_cast<std::size_t>(std::find(begin, lines.end(), "") - begin);
}

struct Sample {
  const char* name;
  Summary (*make)();
};

const Sample kSamples[] = {{"gpu", samples::gpu},
                           {"findings", samples::with_findings},
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
    const std::size_t findings = lines_of_findings(sample.make());
    EXPECT_LE(lines.size(), 52U + findings) << sample.name;
    EXPECT_LE(findings, 24U) << sample.name;
    for (const std::string& line : lines) EXPECT_LE(columns_of(line), 100U) << line;
  }
}

TEST(TextReport, WholeNamesStandInFiles) {
  Summary summary = samples::gpu();
  const std::string name = "kernel_" + std::string(150, 'k');
  const std::string file = "/home/someone/a_project/" + std::string(60, 'd') + "/train.py";
  summary.kernels.front().name = summary.kernels.front().phase = name;
  summary.lines.front().file = file;
  const std::string cut = text_report(summary, {});
  EXPECT_THAT(cut, testing::Not(testing::HasSubstr(name)));
  EXPECT_THAT(cut, testing::Not(testing::HasSubstr(file)));
  const std::string whole = text_report(summary, {.whole_names = true});
  EXPECT_THAT(whole, testing::HasSubstr(name + "  "));
  EXPECT_THAT(whole, testing::HasSubstr(file + ":"));
}

TEST(TextReport, SaysHowEachRecorderWouldHaveGivenLines) {
  const auto said = [](const char* source) {
    Summary summary = samples::gpu();
    summary.run.source = source;
    summary.trust.lines = {.wall_ns_total = 1'000};
    summary.trust.lines.without[static_cast<std::size_t>(NoLine::lines_not_recorded)] = 1'000;
    std::string text = text_report(summary, {});
    text.erase(std::remove(text.begin(), text.end(), '\n'), text.end());
    return text;
  };
  EXPECT_THAT(said("kineto"), testing::HasSubstr("with_stack=True"));
  EXPECT_THAT(said("nsys"), testing::HasSubstr("an export of Nsight Systems holds no lines"));
  EXPECT_THAT(said("stepscope"), testing::HasSubstr("--native-lines"));
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

// In colour, too: what paints takes no columns.
TEST(TextReport, LinesOfManyFactsEndBetweenTwo) {
  Summary summary = samples::gpu();
  summary.partition.corrected_step_ns = 36'700'000;
  summary.long_steps.left_out = true;
  Trust& trust = summary.trust;
  trust.link_rate = 0.5;
  trust.lines = {.wall_ns_total = 1'000, .with_line_ns_total = 990, .sampled_ns_total = 300};
  trust.overhead = Overhead{.ratio = 1.041, .low = 1.031, .high = 1.052, .pairs = 40};
  trust.left = Overhead{.ratio = 1.02, .low = 1.01, .high = 1.03, .pairs = 19};
  const std::string text = text_report(summary, {});
  EXPECT_THAT(text, testing::HasSubstr("DEVICE-BOUND  36.7 ms a step without the profiler, 38.2 ms "
                                       "traced, TRIMMED of its long steps\n              (p50 "));
  EXPECT_THAT(text, testing::HasSubstr(", lines found 50.0 % (!),\n        99.0 % of the time at"));
  EXPECT_THAT(text, testing::HasSubstr(";\n        left while off 2.0 %"));
  for (const std::string& line : lines_of(text)) EXPECT_LE(columns_of(line), 100U) << line;
  const std::string coloured = text_report(summary, {.colour = true, .unicode = false});
  EXPECT_EQ(lines_of(coloured).size(), lines_of(text).size());
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
  EXPECT_THAT(text, testing::HasSubstr("Not counted: step 2 (over\n        before the work of an "
                                       "earlier step was); step 11 (the trace ends first)\n"));
}

// Wherever its lines break.
std::string as_one_line(const Summary& summary) {
  std::istringstream words(text_report(summary, {}));
  std::string text;
  for (std::string word; words >> word;) text += word + " ";
  return text;
}

Summary with_long_steps() {
  Summary summary = samples::gpu();
  summary.long_steps = samples::long_steps();
  return summary;
}

TEST(TextReport, LongStepsStandUnderTheHeadlineWithWhatOwnedTheirExcess) {
  const std::string text = as_one_line(with_long_steps());
  EXPECT_THAT(text,
              testing::HasSubstr("26.2 steps/s 2 of 10 steps are long and hold 78.8 % of this; "
                                 "the median step takes 38.1 ms the device works"));
  EXPECT_THAT(text, testing::HasSubstr(
                        "Long steps 2 of 10 steps, 78.8 % of the loop's time, take over 57.1 "
                        "ms (over 1.5x the median and 5 deviations beyond it); the longest "
                        "23.0x the median"));
  EXPECT_THAT(text, testing::HasSubstr(
                        "beyond the median step they took 1.50 s: host.gc 96.0 %, "
                        "host.python 5.0 %, elsewhere 1.0 % less; by line train.py:96 95.0 %"));
}

TEST(TextReport, WarmUpLongAndCompilingStepsAsAWhole) {
  Summary summary = with_long_steps();
  summary.steps.list[0].compile_ns = 2'100 * samples::kMs;
  expect_golden("long_steps", text_report(summary, {.colour = false, .unicode = true}));
}

TEST(TextReport, FewLongStepsAreNotOfTheHeadline) {
  Summary summary = with_long_steps();
  summary.long_steps.loop_ns_total = 40 * summary.long_steps.wall_ns_total;
  EXPECT_THAT(as_one_line(summary), testing::Not(testing::HasSubstr("of this; the median")));
  EXPECT_THAT(as_one_line(summary), testing::HasSubstr("Long steps 2 of 10 steps, 2.5 %"));
  EXPECT_THAT(as_one_line(samples::gpu()), testing::Not(testing::HasSubstr("Long steps")));
}

TEST(TextReport, ATrimmedViewSaysSoInItsHeading) {
  Summary summary = with_long_steps();
  summary.long_steps.left_out = true;
  std::erase_if(summary.counted, [](std::uint32_t row) { return row == 4 || row == 9; });
  const std::string text = as_one_line(summary);
  EXPECT_THAT(text, testing::HasSubstr("38.2 ms a step, TRIMMED of its long steps (p50"));
  EXPECT_THAT(text,
              testing::HasSubstr("TRIMMED: 2 of 12 steps, 78.8 % of the loop's time, are long "
                                 "and left out (--without-long-steps): the loop itself takes "
                                 "167 ms a step"));
  EXPECT_THAT(text, testing::HasSubstr("step 4, step 9 (long, left out as asked)"));
}

TEST(TextReport, StepsThatCompileAreListedWithTheirCost) {
  Summary summary = samples::gpu();
  summary.steps.list[0].compile_ns = 2'100 * samples::kMs;
  summary.steps.list[7].compile_ns = 900 * samples::kMs;
  EXPECT_THAT(
      as_one_line(summary),
      testing::HasSubstr("compilation, tuning and module loads: 2.10 s in step 0, 900 ms in "
                         "step 7"));
}

std::string report_with_left(double low, double high) {
  Summary summary = samples::gpu();
  summary.trust.overhead = Overhead{1.064, 1.059, 1.07, 40};
  summary.trust.left = Overhead{(low + high) / 2, low, high, 200};
  return as_one_line(summary);
}

TEST(TextReport, ANegativeCostIsDriftAndNoCost) {
  EXPECT_THAT(report_with_left(0.58, 0.93),
              testing::HasSubstr("40 windows; what stays while off: not measured (the host's pace "
                                 "drifted))"));
  EXPECT_THAT(report_with_left(0.58, 0.93), testing::Not(testing::HasSubstr("left while off")));
  EXPECT_THAT(report_with_left(0.98, 1.06),
              testing::HasSubstr("left while off 2.0 %, 95 % within -2.0 to 6.0 %, 200 steps"));
}

TEST(TextReport, WhyNothingWasRecordedComesFirst) {
  Summary summary = samples::whole_trace();
  summary.trust.over_budget = {"process: 100.0 % of the wall time has no explanation"};
  EXPECT_THAT(text_report(summary, {}), testing::StartsWith("UNEXPLAINED  process: 100.0 %"));
  summary.trust.nothing_recorded = "the process ended before --start-after";
  const std::string text = text_report(summary, {});
  EXPECT_THAT(text,
              testing::StartsWith("NOTHING RECORDED  the process ended before --start-after"));
  EXPECT_THAT(text, testing::HasSubstr("Steps   none found: nothing was recorded"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("UNEXPLAINED")));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("--step-marker")));
}

std::string report_of_exit(const char* exit) {
  Summary summary = samples::gpu();
  summary.run.versions.emplace_back("exit", exit);
  return text_report(summary, {});
}

TEST(TextReport, AProgramThatFailedIsSaidUnderTheVerdict) {
  EXPECT_THAT(report_of_exit(R"({"status":1})"),
              testing::HasSubstr("\n  the program ended with status 1 after step 11, the last one "
                                 "found\n"));
  EXPECT_THAT(report_of_exit(R"({"signal":9})"),
              testing::HasSubstr("\n  the program was ended by signal 9 (Killed) after step 11"));
}

TEST(TextReport, ACutRecordingIsSaidUnderTheVerdict) {
  Summary summary = samples::gpu();
  summary.trust.lost_chunks = 2;
  EXPECT_THAT(text_report(summary, {}),
              testing::HasSubstr("\n  the recording is damaged or cut off: 2 of its parts are "
                                 "missing\n"));
}

TEST(TextReport, ARecordingThatEndedBeforeTheProgramIsSaidUnderTheVerdict) {
  Summary summary = samples::gpu();
  summary.trust.notes = {
      "disk full: cannot write x.sst; recording ended 5.6 s after the process began: steps that "
      "were "
      "over by then are here"};
  EXPECT_THAT(text_report(summary, {}),
              testing::HasSubstr("\n  the recording ended 5.6 s after the process began, and what "
                                 "came later is not in it"));
}

TEST(TextReport, AProgramThatEndedWellOrStillRunsIsNoFailure) {
  for (const char* exit : {R"({"status":0})", "null", "", "{", R"({"status":"x"})"})
    EXPECT_EQ(report_of_exit(exit), text_report(samples::gpu(), {})) << exit;
}

TEST(TextReport, ABusyMachineIsSaidUnderTheVerdict) {
  Summary summary = samples::cpu();
  summary.trust.core_wait_share = 0.61;
  EXPECT_THAT(text_report(summary, {}),
              testing::HasSubstr("\n  the machine was busy: this thread waited for a core 61 %"));
  summary.trust.core_wait_share = 0.09;
  EXPECT_THAT(text_report(summary, {}), testing::Not(testing::HasSubstr("machine was busy")));
}

TEST(TextReport, TheFindingAboutTheMachineStandsOnceAboveThoseAboutTheProgram) {
  Summary summary = samples::cpu();
  summary.trust.core_wait_share = 0.61;
  Finding machine, program;
  machine.id = "core_contention", machine.title = "for 2 ms a step it had no core";
  program.id = "host_gap", program.title = "the loop sleeps";
  summary.findings = Findings{.found = {machine, program}};
  const std::string report = text_report(summary, {});
  EXPECT_THAT(report, testing::HasSubstr("\n  this machine was busy: for 2 ms a step it had no"));
  EXPECT_THAT(report, testing::HasSubstr("\n 1  host_gap"));
  EXPECT_EQ(report.find("machine was busy"), report.rfind("machine was busy"));
}

// The text without its line breaks.
std::string joined_lines(const std::string& text) {
  std::istringstream words(text);
  std::string out, word;
  while (words >> word) out += word + " ";
  return out;
}

TEST(TextReport, NothingFoundSaysWhatCouldNotBeJudged) {
  Summary summary = samples::cpu();
  summary.lines = {{.file = "/home/me/fit.py", .line = 10, .ns_total = 0}};
  summary.lines[0].ns_total = summary.partition.wall_ns_total / 2;
  summary.findings =
      Findings{.found = {}, .no_gain = {}, .cleared = {{"hotspot", "none is large"}}};
  const std::string all_judged = text_report(summary, {});
  EXPECT_THAT(all_judged, testing::HasSubstr("nothing found that is worth 1 % of the step\n"));
  summary.findings->abstained = {{"host_gap", "samples alone are known"}};
  EXPECT_THAT(joined_lines(text_report(summary, {})),
              testing::HasSubstr("could not be judged: 50.0 % of the step is at fit.py:10 "));
}

TEST(TextReport, LongStepsNameANotebooksCell) {
  Summary summary = samples::cpu();
  LongSteps& slow = summary.long_steps;
  slow = {.steps = 1, .rows = {0}, .wall_ns_total = 300, .loop_ns_total = 1'000, .median_ns = 100};
  slow.limit_ns = 150, slow.longest_ns = 300, slow.excess_ns_total = 200;
  slow.excess = {{Cause::host_python, "/tmp/ipykernel_77/2671474964.py", 5, "f", 200}};
  EXPECT_THAT(joined_lines(text_report(summary, {})),
              testing::HasSubstr("by line notebook cell 4964:5 100.0 %"));
}

TEST(TextReport, WhyNothingIsForecastFitsTheScreen) {
  Summary summary = samples::cpu();
  Finding program;
  program.id = "host_gap", program.title = "the loop sleeps";
  summary.findings = Findings{.found = {program}};
  summary.findings->no_forecast =
      "gains are the most that a fix could give: " + std::string(40, 'x') + " " +
      std::string(40, 'y');
  const std::string report = text_report(summary, {});
  EXPECT_THAT(report, testing::HasSubstr("\nWhat to do  (gains are the most"));
  EXPECT_THAT(report, testing::HasSubstr("\n            " + std::string(40, 'y') + ")\n"));
}

TEST(TextReport, LinesOfSamplesAreToldFromRecordedOnes) {
  Summary summary = samples::cpu();
  LineShare& lines = summary.trust.lines;
  lines = {
      .wall_ns_total = 1000, .with_line_ns_total = 900, .sampled_ns_total = 300, .samples = 1234};
  EXPECT_THAT(text_report(summary, {}),
              testing::ContainsRegex("90.0 % of the time at a line[ \n]+\\(60.0 % recorded, "
                                     "30.0 %[ \n]+by[ \n]+1,234[ \n]+samples\\)"));
}

TEST(TextReport, WithoutStepsAFailureNamesNone) {
  Summary summary = samples::whole_trace();
  summary.run.versions.emplace_back("exit", R"({"status":3})");
  EXPECT_THAT(text_report(summary, {}),
              testing::HasSubstr("\n  the program ended with status 3\n"));
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
