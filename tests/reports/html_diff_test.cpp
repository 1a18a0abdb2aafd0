// SPDX-License-Identifier: Apache-2.0
#include "reports/html/html_pages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <regex>

#include "reports/markdown/markdown_pages.hpp"
#include "tests/reports/sample_comparisons.hpp"

namespace stepscope {
namespace {

using testing::HasSubstr;
using testing::Not;

void expect_well_formed(const std::string& page) {
  std::string path = testing::TempDir() + "stepscope_diff_XXXXXX";
  ASSERT_GE(mkstemp(path.data()), 0);
  std::ofstream(path, std::ios::binary) << page;
  const std::string command =
      STEPSCOPE_PYTHON " " STEPSCOPE_SOURCE_DIR "/tests/reports/validate_html.py " + path;
  EXPECT_EQ(std::system(command.c_str()), 0);
  std::remove(path.c_str());
}

std::int64_t sum_of_table(const std::string& page, const std::string& table) {
  const std::regex row("data-table=\"" + table + "\" data-ns=\"(-?[0-9]+)\"");
  std::int64_t sum = 0;
  for (std::sregex_iterator at(page.begin(), page.end(), row), end; at != end; ++at)
    sum += std::stoll((*at)[1]);
  return sum;
}

TEST(HtmlDiff, EveryTableSumsToTheDifference) {
  for (const Comparison& c : {samples::faster(), samples::several_runs()}) {
    const std::string page = html_diff(c);
    expect_well_formed(page);
    ASSERT_NE(c.delta_ns_total, 0);
    for (const char* table : {"causes", "phases", "lines", "parts"})
      EXPECT_EQ(sum_of_table(page, table), c.delta_ns_total) << table;
  }
}

TEST(HtmlDiff, TablesThatAreCutStillSum) {
  Comparison c = samples::faster();
  for (std::uint32_t i = 0; i < 500; ++i) {
    c.parts.push_back(c.parts.front());
    c.parts.back().delta_ns = 1;
    c.parts.back().group = 1000 + i;
    c.lines.push_back({"f.py", i, i, i, "", 0, 1});
  }
  c.delta_ns_total += 500;
  const std::string page = html_diff(c);
  EXPECT_EQ(sum_of_table(page, "parts"), c.delta_ns_total);
  EXPECT_EQ(sum_of_table(page, "lines"), c.delta_ns_total);
  expect_well_formed(page);
}

TEST(HtmlDiff, SaysWhyRunsCannotBeComparedAndShowsNoTable) {
  const std::string page = html_diff(samples::unlike_devices());
  expect_well_formed(page);
  EXPECT_THAT(page, HasSubstr("NOT COMPARABLE"));
  EXPECT_THAT(page, HasSubstr("A100"));
  EXPECT_THAT(page, Not(HasSubstr("<table")));
}

Comparison diff_with_hostile_names() {
  const std::string hostile = "</title></script><img src=x onerror='a'>\"|`\xff";
  Comparison c = samples::faster();
  c.a.run.path = c.b.run.path = c.a.run.device = hostile;
  c.warnings = {hostile};
  for (DeltaPart& part : c.parts) part.op = part.phase = part.file = part.function = hostile;
  for (PhaseDelta& phase : c.phases) phase.path = hostile;
  for (LineDelta& line : c.lines) line.file = line.function = hostile;
  for (Replacement& r : c.replaced) r.a_ops = r.b_ops = {hostile};
  for (CountDelta& count : c.counts) count.counter = hostile;
  return c;
}

TEST(HtmlDiff, NoNameOpensATag) {
  const std::string page = html_diff(diff_with_hostile_names());
  expect_well_formed(page);
  EXPECT_THAT(page, Not(HasSubstr("<img")));
}

TEST(MarkdownDiff, SaysTheSentenceAndThePartsThatSumToIt) {
  const std::string text = markdown_diff(samples::faster());
  EXPECT_THAT(text, HasSubstr("B takes 9.75 ms a step, A 12.6 ms: 2.85 ms less"));
  EXPECT_THAT(text, HasSubstr("| **12.60** |  | **A's step** |  |  |"));
  EXPECT_THAT(text, HasSubstr("| -1.50 | -11.9 % | `copy.h2d.pageable` | `train.py:5 (load)` |"));
  EXPECT_THAT(text, HasSubstr("left over: 0 ns"));
  EXPECT_THAT(text, HasSubstr("| kernels | 189 | 50 |"));
}

TEST(MarkdownDiff, NoNameLeavesItsCell) {
  const std::string text = markdown_diff(diff_with_hostile_names());
  EXPECT_THAT(text, Not(HasSubstr("\xff")));
  const std::string why = markdown_diff(samples::unlike_devices());
  EXPECT_THAT(why, HasSubstr("> [!CAUTION]"));
  EXPECT_THAT(why, Not(HasSubstr("| ---")));
}

}  // namespace
}  // namespace stepscope
