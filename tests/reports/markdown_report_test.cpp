// SPDX-License-Identifier: Apache-2.0
#include "reports/markdown/markdown_pages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "reports/markdown/markdown.hpp"
#include "tests/reports/sample_summaries.hpp"

namespace stepscope {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Markdown, NamesStandInCodeSpansThatTheyCannotLeave) {
  EXPECT_EQ(markdown::code("a|b"), "`a\\|b`");
  EXPECT_EQ(markdown::code("x`y"), "``x`y``");
  EXPECT_EQ(markdown::code("``"), "``` `` ```");
  EXPECT_EQ(markdown::code("two\nlines"), "`two lines`");
  EXPECT_EQ(markdown::code(""), "");
}

TEST(Markdown, WordsAreEscaped) {
  EXPECT_EQ(markdown::escaped("a*b_c|d"), "a\\*b\\_c\\|d");
  EXPECT_EQ(markdown::escaped("<img> #1"), "&lt;img&gt; \\#1");
  EXPECT_EQ(markdown::escaped("@team"), "@<!-- -->team");
  EXPECT_EQ(markdown::escaped("[x](http://y)"), "\\[x\\]\\(http://y\\)");
}

TEST(Markdown, ATableLosesTheColumnsInWhichNoRowSaysAnything) {
  const std::vector<markdown::MarkdownColumn> columns = {{"phase"}, {"calls"}, {"share"}};
  EXPECT_EQ(markdown::table(columns, {{"data", "", "3 %"}, {"2 smaller", "", ""}}),
            "| phase | share |\n| ---: | ---: |\n| data | 3 % |\n| 2 smaller |  |\n\n");
  EXPECT_EQ(markdown::table(columns, {}), "| phase | calls | share |\n| ---: | ---: | ---: |\n\n");
}

TEST(MarkdownReport, PhasesAreThereWhereOneHasANameAndSayWhatWasCopied) {
  Summary summary = samples::gpu();
  summary.phases.resize(1);
  ASSERT_GT(summary.phases.front().calls_total, 0U);
  summary.phases.front().bytes_total = 37'700'000 * summary.partition.steps_counted;
  const std::string report = markdown_report({summary});
  EXPECT_THAT(report, HasSubstr("### Phases"));
  EXPECT_THAT(report, HasSubstr("| copied |"));
  EXPECT_THAT(report, HasSubstr("| 37.7 MB |"));
}

std::size_t columns_in(std::string_view line) {
  std::size_t bars = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '|' && (i == 0 || line[i - 1] != '\\')) ++bars;
  }
  return bars;
}

// Every row of a table has as many columns as its head.
void expect_even_tables(const std::string& text) {
  std::istringstream in(text);
  std::string line;
  std::size_t columns = 0;
  while (std::getline(in, line)) {
    const std::size_t here = line.starts_with('|') ? columns_in(line) : 0;
    if (columns > 0 && here > 0) {
      EXPECT_EQ(here, columns) << line;
    }
    columns = here;
  }
}

TEST(MarkdownReport, AFailureStandsUnderTheVerdict) {
  Summary summary = samples::gpu();
  summary.run.versions.emplace_back("exit", R"({"status":1})");
  EXPECT_THAT(
      markdown_report({summary}),
      HasSubstr("**\n\nthe program ended with status 1 after step 11, the last one found\n"));
}

TEST(MarkdownReport, ABusyMachineIsSaid) {
  Summary summary = samples::cpu();
  summary.trust.core_wait_share = 0.61;
  EXPECT_THAT(markdown_report({summary}), HasSubstr("this thread waited for a core 61 % of"));
}

TEST(MarkdownReport, EverySampleHasEvenTables) {
  for (const auto& make :
       {samples::gpu, samples::cpu, samples::inflated, samples::one_step, samples::whole_trace,
        samples::two_devices, samples::ranks, samples::broken, samples::empty}) {
    const std::string text = markdown_report({make()});
    expect_even_tables(text);
    EXPECT_TRUE(text.starts_with("## `")) << text;
  }
}

TEST(MarkdownReport, SaysWhatTheTextSays) {
  const std::string text = markdown_report({samples::gpu()});
  EXPECT_THAT(text, HasSubstr("**DEVICE-BOUND** **38.2 ms a step \\(p50 38.1 ms"));
  EXPECT_THAT(text,
              HasSubstr("| `gpu.select` | 21.40 | 56.0 % | top-k and sorting | 214,000,000 |"));
  EXPECT_THAT(text,
              HasSubstr("| **= wall time** | **38.20** | **100.0 %** |  | **382,000,000** |"));
  EXPECT_THAT(text, HasSubstr("&emsp;`select`"));
  EXPECT_THAT(text, HasSubstr("`train.py:96` in `compute_loss`"));
  EXPECT_THAT(text, HasSubstr("not recorded, so never blamed: host.gc, host.off\\_cpu"));
}

TEST(MarkdownReport, WarnsAtItsHeadWhenNumbersContradictEachOther) {
  EXPECT_THAT(markdown_report({samples::broken()}), HasSubstr("> [!WARNING]\n> Broken: the parts"));
}

TEST(MarkdownReport, NoNameLeavesItsCell) {
  Summary s = samples::ranks();
  const std::string hostile = "</td>|`@team` #7 \xff\n| x";
  s.run.path = s.run.command = s.partition.why_bound = hostile;
  for (PhaseRow& row : s.phases) row.name = hostile;
  for (LineRow& row : s.lines) row.file = row.function = hostile;
  for (KernelRow& row : s.kernels) row.name = row.phase = hostile;
  for (TransferRow& row : s.transfers) row.operation = row.phase = hostile;
  s.trust.notes = {hostile};
  const std::string text = markdown_report({s});
  expect_even_tables(text);
  EXPECT_THAT(text, Not(HasSubstr("\xff")));
  EXPECT_THAT(text, Not(HasSubstr("\n| x")));
}

TEST(MarkdownReport, SeveralReportsFollowEachOther) {
  const std::string text = markdown_report({samples::gpu(), samples::cpu()});
  EXPECT_THAT(text, HasSubstr("\n---\n\n## `stepscope train clt --steps 12`"));
}

}  // namespace
}  // namespace stepscope
