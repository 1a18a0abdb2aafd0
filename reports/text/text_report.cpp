// SPDX-License-Identifier: Apache-2.0
#include "reports/text/text_pages.hpp"

#include "reports/text/sections.hpp"

namespace stepscope {

namespace text_sections {
namespace {

// Shares out the rows: where ranks communicate, device operations give two of their rows to that.
Room room_of(const report::Table& table, const Summary& summary) {
  if (table.id == "partition") return {.rows = 9, .has_sum = true, .has_bar = true};
  if (table.id == "devices") return {.has_bar = true};
  if (table.id == "phases") return {.rows = 9};
  if (table.id == "kernels")
    return {.rows = summary.transfers.empty() ? 5U : 3U, .has_rest = false};
  if (table.id == "host-ops") return {.has_rest = false};
  if (table.id == "transfers") return {.rows = 3, .has_rest = false};
  return {};
}

class Text {
 public:
  explicit Text(const Page& page) : page_(page) {}

  void add(const std::string& section) {
    if (!text_.empty() && !section.empty()) text_ += "\n";
    text_ += section;
  }
  void add(const std::vector<report::Table>& tables) {
    for (const report::Table& table : tables)
      add(table_text(table, room_of(table, page_.report.scale.summary), page_.style));
  }
  const std::string& text() const { return text_; }

 private:
  const Page& page_;
  std::string text_;
};

}  // namespace
}  // namespace text_sections

std::string text_report(const Summary& summary, const Style& style) {
  using namespace text_sections;
  const report::Report report = report::report_of(summary);
  const Page page{report, style};
  Text out(page);
  for (const auto section : {broken, headline, verdict}) out.add(section(page));
  out.add(report.tables.ledger);
  out.add(findings(page));
  out.add(report.tables.details);
  out.add(health(page));
  out.add(report.tables.loops);
  for (const auto section : {long_steps, steps, trust}) out.add(section(page));
  return out.text();
}

}  // namespace stepscope
