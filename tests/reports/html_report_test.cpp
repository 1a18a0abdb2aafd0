// SPDX-License-Identifier: Apache-2.0
// Pages of hand-made summaries: well-formed for any name, exact, small. validate_html.py looks at
// each as a browser would.
#include "reports/html/html_pages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>

#include "core/report/wording/numbers.hpp"
#include "reports/json/json_documents.hpp"
#include "tests/reports/sample_summaries.hpp"

namespace stepscope {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kHostile =
    "</script><img src=x onerror=alert(1)>'\"&\xff\xc3\x01 \xe2\x82\xac";

class HtmlReport : public testing::Test {
 protected:
  HtmlReport() {
    std::string name = testing::TempDir() + "stepscope_html_XXXXXX";
    folder_ = mkdtemp(name.data());
  }
  ~HtmlReport() override { std::filesystem::remove_all(folder_); }

  std::string write(const char* name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return folder_ / name;
  }

  // The page, once it and the report's document were compared.
  std::string valid_page(const Summary& summary) const {
    std::string page = html_report({summary});
    const std::string command =
        STEPSCOPE_PYTHON " " STEPSCOPE_SOURCE_DIR "/tests/reports/validate_html.py " +
        write("page.html", page) + " " + write("report.json", json_report(summary));
    EXPECT_EQ(std::system(command.c_str()), 0) << summary.run.path;
    return with_blanks(std::move(page));  // as it is read
  }

  std::filesystem::path folder_;
};

TEST_F(HtmlReport, EverySampleIsAWellFormedPageWithTheSumsOfItsDocument) {
  for (const auto& make :
       {samples::gpu, samples::cpu, samples::inflated, samples::one_step, samples::whole_trace,
        samples::two_devices, samples::ranks, samples::broken, samples::empty}) {
    valid_page(make());
  }
}

TEST_F(HtmlReport, SaysThatTheProgramFailed) {
  Summary summary = samples::gpu();
  EXPECT_THAT(valid_page(summary), Not(HasSubstr("ended")));
  summary.run.versions.emplace_back("exit", R"({"status":1})");
  EXPECT_THAT(valid_page(summary), HasSubstr("the program ended with status 1 after step 11"));
}

TEST_F(HtmlReport, SaysThatTheMachineWasBusy) {
  Summary summary = samples::cpu();
  summary.trust.core_wait_share = 0.61;
  EXPECT_THAT(valid_page(summary), HasSubstr("this thread waited for a core 61 % of the time"));
}

TEST_F(HtmlReport, NoLineEndsBetweenANumberAndItsUnit) {
  EXPECT_THAT(html_report({samples::gpu()}),
              HasSubstr("38.2\u00a0ms a step (p50 38.1\u00a0ms, p90 38.9\u00a0ms, 10 steps"));
}

TEST_F(HtmlReport, ColumnsInWhichNoRowSaysAnythingAreLeftOut) {
  Summary summary = samples::cpu();
  ASSERT_GT(summary.phases.size(), 1U);
  for (PhaseRow& row : summary.phases) row.calls_total = 0;
  const auto titles_of_phases = [&] {
    const std::string page = valid_page(summary);
    const std::size_t begin = page.find("<section id=\"phases\"");
    return page.substr(begin, page.find("</thead>", begin) - begin);
  };
  EXPECT_THAT(titles_of_phases(), Not(HasSubstr(">calls<")));
  EXPECT_THAT(titles_of_phases(), Not(HasSubstr("GPU busy")));
  summary.phases.back().calls_total = 10;
  EXPECT_THAT(titles_of_phases(), HasSubstr(">calls<"));
}

TEST_F(HtmlReport, EvidenceIsNamedByWhatItIs) {
  const std::string page = valid_page(samples::with_findings());
  EXPECT_THAT(page, HasSubstr("<li title=\"h12\">aten::item, 3.10 ms, in step 7</li>"));
  EXPECT_THAT(page, HasSubstr("<li title=\"d90\">copy_kernel, 12.0 us</li>"));
}

TEST_F(HtmlReport, SaysTheVerdictInTheWordsOfTheText) {
  const std::string page = with_blanks(html_report({samples::gpu()}));
  EXPECT_THAT(page, HasSubstr("DEVICE-BOUND"));
  EXPECT_THAT(page, HasSubstr("38.2 ms a step (p50 38.1 ms, p90 38.9 ms, 10 steps counted)"));
  EXPECT_THAT(page, HasSubstr(samples::gpu().partition.why_bound));
  EXPECT_THAT(page, HasSubstr("382,000,000"));  // the wall time, every digit of it
  EXPECT_THAT(page, HasSubstr("growing by 1.20 MB a step"));
  EXPECT_THAT(page, HasSubstr("no collector of garbage collections ran"));
}

Summary with_hostile_names() {
  Summary s = samples::ranks();
  for (std::string* text : {&s.run.path, &s.run.command, &s.run.device, &s.run.host, &s.steps.how,
                            &s.counting, &s.partition.why_bound})
    *text = kHostile;
  s.run.versions = {{"torch", kHostile}};
  s.steps.notes = s.trust.notes = s.trust.rivals = s.trust.over_budget = {kHostile};
  s.trust.broken_invariants = {kHostile};
  s.trust.abstained = {{kHostile, kHostile}};
  for (Step& step : s.steps.list) step.why_not_steady = step.steady ? "" : kHostile;
  for (PhaseRow& row : s.phases) row.name = kHostile;
  for (LineRow& row : s.lines) row.file = row.function = kHostile;
  for (KernelRow& row : s.kernels) row.name = row.phase = kHostile;
  for (TransferRow& row : s.transfers) row.operation = row.reduce = row.phase = kHostile;
  return s;
}

TEST_F(HtmlReport, NoNameOpensATag) {
  const std::string page = html_report({with_hostile_names()});
  const std::string command = STEPSCOPE_PYTHON " " STEPSCOPE_SOURCE_DIR
                                               "/tests/reports/validate_html.py " +
                              write("page.html", page);
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_THAT(page, HasSubstr("&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;&#39;&quot;&amp;"));
}

TEST_F(HtmlReport, SeveralReportsShareAPage) {
  const std::string page = html_report({samples::gpu(), samples::cpu()});
  const std::string command = STEPSCOPE_PYTHON " " STEPSCOPE_SOURCE_DIR
                                               "/tests/reports/validate_html.py " +
                              write("page.html", page);
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_THAT(page, HasSubstr("id=\"r1-partition\""));
  EXPECT_THAT(page, HasSubstr("id=\"r2-partition\""));
}

// 20,000 steps, 2,000 kernels with names of 3,000 bytes, 500 lines.
TEST_F(HtmlReport, ALongRunStaysBelowAMegabyte) {
  Summary s = samples::gpu();
  const auto parts = s.step_parts.back();
  for (std::size_t i = 0; i < 20'000; ++i) {
    s.steps.list.push_back(s.steps.list.back());
    s.step_parts.push_back(parts);
  }
  const KernelRow kernel = s.kernels.front();
  for (std::size_t i = 0; i < 2'000; ++i) {
    s.kernels.push_back(kernel);
    s.kernels.back().name = "f<" + std::string(3'000, 'x') + ">";
  }
  const LineRow line = s.lines.back();
  for (std::uint32_t i = 0; i < 500; ++i) {
    s.lines.push_back(line);
    s.lines.back().line = 1000 + i;
    s.lines.back().ns_total = 1000;
  }
  const std::string page = valid_page(s);
  EXPECT_THAT(page, HasSubstr("each bar is the longest of 26 neighbours"));
  EXPECT_THAT(page, HasSubstr("463 smaller lines"));
  EXPECT_THAT(page, HasSubstr("1804 smaller"));
}

TEST_F(HtmlReport, AStepFarAboveTheOthersIsCutAndSaysSo) {
  Summary s = samples::gpu();
  s.steps.list.back().window.end += 400 * samples::kMs;
  EXPECT_THAT(html_report({s}), HasSubstr("bars with a tip are cut at 77.8 ms"));
  EXPECT_THAT(html_report({samples::gpu()}), Not(HasSubstr("are cut at")));
}

TEST_F(HtmlReport, ShowsSourceThatIsAtHandUnlessTold) {
  Summary s = samples::gpu();
  s.lines.front().file = write("train.py", "import torch\nx = a < b  # </pre>\n");
  s.lines.front().line = 2;
  EXPECT_THAT(valid_page(s), HasSubstr("x = a &lt; b  # &lt;/pre&gt;"));
  EXPECT_THAT(html_report({s}, {.with_source = false}), Not(HasSubstr("a &lt; b")));
}

}  // namespace
}  // namespace stepscope
