// SPDX-License-Identifier: Apache-2.0
#include "viewer/view/tables/table.hpp"

#include "core/report/documents.hpp"

namespace stepscope::viewer {
namespace {

Table refusal(const report::DiffReport& diff) {
  Table out{"Difference", {{"why these runs are not compared"}}, {}, {}, ""};
  for (const std::string& why : diff.why_not)
    out.rows.push_back({{{why, {}}}, {}, RowAction::nothing, 0, ""});
  out.notes.push_back("--anyway shows the tables.");
  return out;
}

Table parts(const report::DiffReport& diff) {
  Table out = table_of_report(diff.parts);
  out.notes = diff.why_not;
  out.notes.insert(out.notes.end(), diff.warnings.begin(), diff.warnings.end());
  return out;
}

}  // namespace

std::vector<Table> difference_tables(const Desk& desk) {
  if (desk.comparison() == nullptr) return {};
  const report::DiffReport diff = report::diff_report(*desk.comparison());
  if (!diff.is_shown()) return {refusal(diff)};
  std::vector<Table> out = {parts(diff)};
  for (const report::Table& table : diff.sides) out.push_back(table_of_report(table));
  out.push_back(table_of_report(diff.counts));
  return out;
}

}  // namespace stepscope::viewer
