// SPDX-License-Identifier: Apache-2.0
// The ranks of a job beside each other.
#include "core/report/wording/job.hpp"
#include "reports/text/sections.hpp"
#include "reports/text/table.hpp"

namespace stepscope::text_sections {

std::string ranks(const Page& page) {
  const std::vector<RankLine> lines = rank_lines(page);
  if (lines.empty()) return "";
  Table table({Align::left, Align::right, Align::right, Align::right, Align::right, Align::right,
               Align::left});
  std::vector<std::string> titles = {"Ranks  " + job_title(*page.summary.job)};
  titles.insert(titles.end(), kRankTitles.begin(), kRankTitles.end());
  titles.emplace_back("");
  table.head(titles);
  for (const RankLine& line : lines)
    table.row({{"rank " + line.rank},
               {line.step},
               {line.work},
               {line.transfer},
               {line.waits},
               {line.costs},
               {line.note, line.note == "late" ? Colour::red : Colour::dim}});
  std::string out = table.render(page.style);
  for (const std::string& sentence : job_texts(page))
    out += wrapped("  ", sentence, page.style, Colour::dim);
  return out;
}

}  // namespace stepscope::text_sections
