// SPDX-License-Identifier: Apache-2.0
// The ranks of a job beside each other.
#include "core/report/wording/job.hpp"
#include "reports/html/cells.hpp"
#include "reports/html/sections.hpp"

namespace stepscope::html {

Markup ranks(const Report& report) {
  const std::vector<RankLine> lines = rank_lines(report);
  if (lines.empty()) return {};
  const auto figure = [](const std::string& shown) {
    return Cells{element("td", {{"class", "n"}}, text(shown)), !shown.empty()};
  };
  TableRows rows;
  for (const RankLine& line : lines)
    rows.push_back(row({}, words_cell("rank " + line.rank) + figure(line.step) + figure(line.work) +
                               figure(line.transfer) + figure(line.waits) + figure(line.costs) +
                               words_cell(line.note)));
  std::vector<Column> columns = {{report.time_title(), ColumnKind::words}};
  for (const std::string& title : kRankTitles) columns.push_back({title});
  columns.push_back({"", ColumnKind::words});
  Markup content = table(columns, rows, {});
  for (const std::string& sentence : job_texts(report)) content += element("p", text(sentence));
  return section(report.id("ranks"), "Ranks: " + job_title(*report.summary.job), content);
}

}  // namespace stepscope::html
