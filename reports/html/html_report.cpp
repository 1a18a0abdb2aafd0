// SPDX-License-Identifier: Apache-2.0
#include "reports/html/html_pages.hpp"

#include <fmt/format.h>

#include "reports/html/cells.hpp"
#include "reports/html/sections.hpp"

namespace stepscope {
namespace {

Markup article(const html::Report& report) {
  Markup out;
  const auto add = [&](const std::vector<report::Table>& some) {
    for (const report::Table& table : some) out += html::table_section(report, table);
  };
  for (const auto section : {html::broken, html::verdict, html::steps}) out += section(report);
  add(report.tables.ledger);
  out += html::findings(report);
  add(report.tables.details);
  out += html::health(report);
  add(report.tables.loops);
  return element("main", out + html::trust(report));
}

}  // namespace

std::string html_report(const std::vector<Summary>& summaries, const HtmlOptions& options) {
  Markup content;
  std::string title;
  for (std::size_t i = 0; i < summaries.size(); ++i) {
    const std::string prefix = summaries.size() == 1 ? "" : fmt::format("r{}-", i + 1);
    const html::Report report{report::report_of(summaries[i]), options, prefix};
    content += article(report);
    title = report.title() + " - stepscope report";
  }
  if (summaries.size() != 1) title = fmt::format("{} reports - stepscope", summaries.size());
  return html::page(title, content);
}

}  // namespace stepscope
