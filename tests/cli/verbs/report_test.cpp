// SPDX-License-Identifier: Apache-2.0
// The report verb from the outside, on a small real trace and on a hand-written one without steps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/run_stepscope.hpp"

namespace stepscope {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kTrace = STEPSCOPE_SOURCE_DIR "/tests/data/kineto/sync_mask_norms.fixed.json.gz";

constexpr const char* kOneKernel =
    R"({"traceEvents": [
      {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 100.0, "dur": 5.0,
       "args": {"correlation": 1}},
      {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 110.0, "dur": 50.0,
       "args": {"correlation": 1, "device": 0, "stream": 7, "context": 1}}]})";

TEST(ReportVerb, PrintsTheScreenAndNothingOnStderr) {
  const RunOutcome run = run_stepscope("report " + kTrace);
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.err, "");
  for (const char* part :
       {"Where the step goes", "= wall time", "Phase", "Trust", "100.0 %", "NOT JUDGED"}) {
    EXPECT_THAT(run.out, HasSubstr(part));
  }
  EXPECT_THAT(run.out, Not(HasSubstr("BROKEN")));
  EXPECT_THAT(run.out, Not(HasSubstr("\x1b"))) << "colour only on a terminal";
}

TEST(ReportVerb, WritesAPageOfItsOwn) {
  const Folder folder;
  const std::string page = folder.at("page.html");
  const std::string document = folder.at("report.json");
  EXPECT_EQ(run_stepscope("report --format html -o " + page + " " + kTrace).status, 0);
  EXPECT_EQ(run_stepscope("report --format json -o " + document + " " + kTrace).status, 0);
  const std::string validate =
      STEPSCOPE_PYTHON " " STEPSCOPE_SOURCE_DIR "/tests/reports/validate_html.py ";
  EXPECT_EQ(std::system((validate + page + " " + document).c_str()), 0);
}

// 24 steps of 10 ms, of which every fourth pauses for 290 ms: 82.5 ms a step by the loop's clock.
TEST(ReportVerb, PausesStayInTheHeadlineAndATrimmedViewSaysSo) {
  std::string events;
  double at = 1'000;
  for (int i = 0; i < 25; ++i) {
    const double wall = i % 4 == 3 ? 300'000 : 10'000;
    events +=
        "{\"ph\": \"X\", \"cat\": \"user_annotation\", \"name\": \"ProfilerStep#" +
        std::to_string(i) + "\", \"pid\": 1, \"tid\": 1, \"ts\": " + std::to_string(at) +
        ", \"dur\": " + std::to_string(wall) + "},\n" +
        "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::mm\", \"pid\": 1, \"tid\": 1, "
        "\"ts\": " +
        std::to_string(at + 10) + ", \"dur\": 9000},\n";
    at += wall;
  }
  events.resize(events.size() - 2);
  const Folder folder;
  const std::string trace = folder.at("pauses.json");
  std::ofstream(trace) << "{\"traceEvents\": [" + events + "]}";
  const auto all = nlohmann::json::parse(run_stepscope("report --format json " + trace).out);
  EXPECT_EQ(all["partition"]["wall_ns_total"], (6 * 300 + 18 * 10) * 1'000'000);
  EXPECT_EQ(all["steps"]["long_steps"]["steps"], 6);
  EXPECT_EQ(all["steps"]["long_steps"]["excess_ns_total"], 6 * 290 * 1'000'000);
  EXPECT_EQ(all["steps"]["warm_up"]["steps"], 1);
  const RunOutcome part = run_stepscope("report --steps 3:12 " + trace);
  EXPECT_EQ(part.status, 0) << part.err;
  EXPECT_THAT(part.out, HasSubstr("10 steps counted"));
  EXPECT_THAT(part.out, HasSubstr("TRIMMED to 10 of 24 steps, 3 to 12 (--steps)"));
  for (const char* wrong : {"5", "a:b", "9:3", "3:", "3:5x", "900:1000"}) {
    const RunOutcome refused = run_stepscope("report --steps " + std::string(wrong) + " " + trace);
    EXPECT_EQ(refused.status, 2) << wrong;
    EXPECT_THAT(refused.err, HasSubstr("--steps")) << wrong;
  }
  const RunOutcome trimmed = run_stepscope("report --without-long-steps " + trace);
  EXPECT_EQ(trimmed.status, 0) << trimmed.err;
  EXPECT_THAT(trimmed.out, HasSubstr("10.0 ms a step, TRIMMED of its long steps"));
  EXPECT_THAT(trimmed.out, HasSubstr("TRIMMED: 6 of 24 steps, 90.9 % of the loop's time"));
}

TEST(ReportVerb, ADocumentCannotBeTrimmed) {
  const Folder folder;
  const std::string document = folder.at("report.json");
  EXPECT_EQ(run_stepscope("report --format json -o " + document + " " + kTrace).status, 0);
  const RunOutcome run = run_stepscope("report --without-long-steps " + document);
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("give the trace that it was made of"));
}

TEST(ReportVerb, ADocumentFollowsNoOptionOfATrace) {
  const Folder folder;
  const std::string document = folder.at("report.json");
  ASSERT_EQ(run_stepscope("report --format json -o " + document + " " + kTrace).status, 0);
  for (const char* option : {"--plain-step 5ms", "--rank 7", "--section 2", "--flops-per-step 1e9",
                             "--phase x", "--step-marker x"}) {
    const RunOutcome run = run_stepscope("report " + document + " " + option);
    const std::string name = std::string(option).substr(0, std::string(option).find(' '));
    EXPECT_EQ(run.status, 2) << option;
    EXPECT_THAT(run.err, HasSubstr(name + ": a report's document")) << option;
  }
  EXPECT_EQ(run_stepscope("report " + document + " --section 1").status, 0) << "its own";
}

TEST(ReportVerb, SaysWhichOptionChangedNothing) {
  const RunOutcome run = run_stepscope("report --phase nosuch " + kTrace);
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.err, HasSubstr("--phase 'nosuch' matches no range"));
  EXPECT_THAT(run_stepscope("report --flops-per-step abc " + kTrace).err,
              HasSubstr("'abc' is no number above 0"));
}

TEST(ReportVerb, TwoOutputsAreTwoFiles) {
  const Folder folder;
  const std::string file = folder.at("both");
  const RunOutcome run = run_stepscope("report -o " + file + " --sarif " + file + " " + kTrace);
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("is named for two outputs"));
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(ReportVerb, IsAsciiWhereTheLocaleIs) {
  const RunOutcome run = run_stepscope("report " + kTrace, "LC_ALL=C");
  EXPECT_TRUE(std::all_of(run.out.begin(), run.out.end(), [](char c) { return c > 0; }));
}

// A pipe is read by programs: what they look for is there. COLUMNS says that a person looks.
TEST(ReportVerb, NamesAreWholeInAPipeAndCutWhereColumnsAreSet) {
  const std::string name =
      "sm90_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize64x128x32_warpgroupsize1x1x1";
  const RunOutcome piped = run_stepscope("report " + kTrace, "LC_ALL=C.UTF-8 COLUMNS=");
  EXPECT_THAT(piped.out, HasSubstr(name));
  const RunOutcome shown = run_stepscope("report " + kTrace, "LC_ALL=C.UTF-8 COLUMNS=100");
  EXPECT_THAT(shown.out, Not(HasSubstr(name)));
  EXPECT_THAT(shown.out, HasSubstr(name.substr(0, 40)));
}

TEST(ReportVerb, ThePlainStepTimeGivesAVerdict) {
  const auto traced = nlohmann::json::parse(run_stepscope("report --format json " + kTrace).out);
  const double floor_ns = traced["partition"]["device_busy_ns_per_step"];
  const double traced_ns = traced["partition"]["wall_ns_per_step"];
  const auto plain_us = std::to_string(static_cast<long>((floor_ns + traced_ns) / 2e3));
  const auto judged = nlohmann::json::parse(
      run_stepscope("report --format json --plain-step " + plain_us + "us " + kTrace).out);
  EXPECT_EQ(traced["partition"]["bound"], "not_judged");
  EXPECT_NE(judged["partition"]["bound"], "not_judged");
}

TEST(ReportVerb, TheFlopsOfAStepGiveTheUtilization) {
  const auto report = nlohmann::json::parse(
      run_stepscope("report --format json --flops-per-step 1e9 --peak-tflops 50 " + kTrace).out);
  const double step_ns = report["partition"]["wall_ns_per_step"];
  EXPECT_NEAR(report["throughput"]["tflops_per_device"].get<double>(), 1e9 / step_ns / 1e3, 1e-9);
  EXPECT_NEAR(report["throughput"]["mfu"].get<double>(), 1e9 / step_ns / 1e3 / 50, 1e-9);
  for (const char* wrong : {"--flops-per-step 0", "--flops-per-step x", "--peak-tflops 50"})
    EXPECT_EQ(run_stepscope("report " + std::string(wrong) + " " + kTrace).status, 2) << wrong;
}

TEST(ReportVerb, JsonGoesWholeIntoAFile) {
  const Folder folder;
  const std::string file = folder.at("report.json");
  const RunOutcome run = run_stepscope("report " + kTrace + " --format json -o " + file);
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(nlohmann::json::parse(read_file(file))["schema"], "stepscope.report/1");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

// Every trace of STEPSCOPE_CORPUS, or the two committed ones.
std::vector<std::string> corpus() {
  const char* folder = std::getenv("STEPSCOPE_CORPUS");
  std::vector<std::string> traces;
  for (const auto& entry : std::filesystem::directory_iterator(
           folder != nullptr ? folder : STEPSCOPE_SOURCE_DIR "/tests/data/kineto")) {
    if (entry.path().string().ends_with(".json.gz")) traces.push_back(entry.path().string());
  }
  return traces;
}

TEST(ReportVerb, TheJsonOfRealTracesIsValidAndSumsExactly) {
  const Folder folder;
  const std::vector<std::string> traces = corpus();
  ASSERT_FALSE(traces.empty());
  std::string files;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    const std::string file = folder.at(std::to_string(i));
    ASSERT_EQ(run_stepscope("report --format json -o " + file + " " + traces[i]).status, 0)
        << traces[i];
    files += " " + file;
  }
  const std::string root = STEPSCOPE_SOURCE_DIR;
  const std::string validate = STEPSCOPE_PYTHON " " + root + "/tests/reports/validate_json.py " +
                               root + "/reports/schema" + files;
  EXPECT_EQ(std::system(validate.c_str()), 0);
}

TEST(ReportVerb, SeveralTracesGiveOneDocument) {
  const auto json =
      nlohmann::json::parse(run_stepscope("report --format json " + kTrace + " " + kTrace).out);
  EXPECT_EQ(json["schema"], "stepscope.reports/1");
  EXPECT_EQ(json["reports"].size(), 2U);
  EXPECT_THAT(run_stepscope("report " + kTrace + " " + kTrace).out, HasSubstr("\n====="));
}

TEST(ReportVerb, WithoutStepsItReportsTheWholeTraceAndSaysSo) {
  const Folder folder;
  write_file(folder.at("one.json"), kOneKernel);
  const RunOutcome run = run_stepscope("report " + folder.at("one.json"));
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.out, HasSubstr("Where the time goes"));
  EXPECT_THAT(run.err, HasSubstr("no steps found"));
  EXPECT_THAT(run.err, HasSubstr("--step-marker REGEX"));
}

TEST(Cli, HelpTeachesAndVersionTells) {
  const RunOutcome help = run_stepscope("--help");
  EXPECT_EQ(help.status, 0);
  EXPECT_THAT(help.out, HasSubstr("Exit codes: 0 pass"));
  EXPECT_THAT(help.out, HasSubstr("Examples:"));
  EXPECT_THAT(run_stepscope("report --help").out, HasSubstr("Examples:"));
  EXPECT_THAT(run_stepscope("train --help").out, HasSubstr("Models:"));
  EXPECT_THAT(run_stepscope("--version").out, testing::StartsWith("stepscope "));
  EXPECT_EQ(run_stepscope("").status, 2);
}

TEST(ReportVerb, WritesFindingsForCodeScanningAndAnnotations) {
  const Folder folder;
  const std::string file = folder.at("findings.sarif");
  const std::string trace = STEPSCOPE_SOURCE_DIR "/tests/data/kineto/sync_mask_norms.bad.json.gz";
  const RunOutcome both = run_stepscope("report --github --sarif " + file + " " + trace);
  EXPECT_EQ(both.status, 0) << both.err;
  EXPECT_THAT(both.out, HasSubstr("Where the step goes"));
  EXPECT_THAT(both.out, HasSubstr("\n::error file=sync_mask_norms.py,line=96,title=host_sync%3A "));
  EXPECT_EQ(read_file(file), run_stepscope("report --format sarif " + trace).out);
  EXPECT_EQ(std::system((STEPSCOPE_PYTHON " " STEPSCOPE_SOURCE_DIR
                                          "/tests/reports/validate_outputs.py sarif " +
                         file)
                            .c_str()),
            0);
  EXPECT_THAT(read_file(file), HasSubstr("A GPU program is fast when its host runs ahead"))
      << "the page of explain is the rule's help";
}

}  // namespace
}  // namespace stepscope
