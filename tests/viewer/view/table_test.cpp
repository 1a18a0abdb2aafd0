// SPDX-License-Identifier: Apache-2.0
#include "viewer/view/tables/table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "core/report/tables.hpp"
#include "tests/reports/sample_summaries.hpp"

namespace stepscope::viewer {
namespace {

using ::testing::ElementsAre;

// Owners of 9, 10 and 100 ms, whose texts sort otherwise than their values, and their sum.
Table owners() {
  Table out{"Owners", {{"owner"}, {"ms", true}}, {}, {"by hand"}, ""};
  for (const auto& [name, ms] : {std::pair("Copy", 9), {"GEMM", 100}, {"idle", 10}})
    out.rows.push_back({.cells = {{name, {}}, {std::to_string(ms), ms}}});
  out.rows.push_back({.cells = {{"= all", {}}, {"119", 119}}, .sum = true});
  return out;
}

std::vector<std::string> names(const Table& table) {
  std::vector<std::string> out;
  for (const TableRow& row : table.rows) out.push_back(row.cells[0].text);
  return out;
}

TEST(Table, SortsByValueWithTheSumAtTheEnd) {
  Table table = owners();
  sort_by(table, 1, true);
  EXPECT_THAT(names(table), ElementsAre("GEMM", "idle", "Copy", "= all"));
  sort_by(table, 1, false);
  EXPECT_THAT(names(table), ElementsAre("Copy", "idle", "GEMM", "= all"));
  sort_by(table, 0, true);
  EXPECT_THAT(names(table), ElementsAre("idle", "GEMM", "Copy", "= all"));
}

TEST(Table, FiltersWhateverTheCase) {
  EXPECT_THAT(names(filtered(owners(), "gemm")), ElementsAre("GEMM"));
  EXPECT_EQ(filtered(owners(), "").rows.size(), 4);
  EXPECT_TRUE(filtered(owners(), "reduce").rows.empty());
}

TEST(Table, AsTextHasARowALine) {
  EXPECT_EQ(as_text(owners()), "by hand\nowner\tms\nCopy\t9\nGEMM\t100\nidle\t10\n= all\t119\n");
}

TEST(Table, LosesTheColumnsInWhichNoRowSaysAnything) {
  Table table = owners();
  table.columns.insert(table.columns.begin() + 1, TableColumn{"calls", true});
  for (TableRow& row : table.rows) row.cells.insert(row.cells.begin() + 1, TableCell{"", 0});
  EXPECT_EQ(as_text(without_empty_columns(table)), as_text(owners()));
  table.rows.back().cells[1].text = "3";
  EXPECT_EQ(as_text(without_empty_columns(table)), as_text(table));
  table.rows.clear();
  EXPECT_EQ(without_empty_columns(table).columns.size(), 3U);  // its titles say what it would hold
}

float letters(std::string_view text) {
  return static_cast<float>(text.size());
}

// A name, a number, a place of 20 letters and a sentence of 60.
Table finding() {
  Table out{"Findings", {{"finding"}, {"gain", true}, {"where"}, {"what"}}, {}, {}, ""};
  out.rows.push_back({.cells = {{"input_starvation", {}},
                                {"60.36 ms becomes 35.14", 25.2},
                                {std::string(20, 'p'), {}},
                                {std::string(60, 's'), {}}}});
  return out;
}

TEST(ColumnWidths, AreThoseOfTheWidestCellsAndTheLastWordsTakeTheRest) {
  EXPECT_THAT(column_widths(finding(), 150, 3, letters), ElementsAre(16, 22, 20, 92));
  EXPECT_THAT(column_widths(owners(), 30, 3, letters), ElementsAre(25, 5));
}

TEST(ColumnWidths, TheWidestWordsGiveWayFirstAndNumbersNever) {
  EXPECT_THAT(column_widths(finding(), 100, 3, letters), ElementsAre(16, 22, 20, 42));
  EXPECT_THAT(column_widths(finding(), 82, 3, letters), ElementsAre(16, 22, 20, 24));
  EXPECT_THAT(column_widths(finding(), 70, 3, letters), ElementsAre(16, 22, 16, 16));
  EXPECT_THAT(column_widths(finding(), 20, 3, letters), ElementsAre(6, 22, 6, 6));
}

TEST(ColumnWidths, ASwatchStandsBeforeTheCausesName) {
  Table table = owners();
  for (TableRow& row : table.rows) row.swatch = Cause::gpu_gemm;
  EXPECT_THAT(column_widths(table, 0, 100, letters), ElementsAre(105, 5));
}

// The screen shows all rows of every table of every sample, with the numbers of the value.
TEST(TableOfReport, ShowsEveryNumberAndSortsByTheExactTotal) {
  for (const auto& make : {samples::gpu, samples::with_host_ops, samples::two_devices,
                           samples::ranks, samples::job, samples::two_loops}) {
    const Summary summary = make();
    const report::Tables all = report::report_tables(scale_of(summary));
    for (const auto* some : {&all.ledger, &all.details, &all.loops}) {
      for (const report::Table& value : *some) {
        const Table shown = table_of_report(value);
        const std::size_t sums = value.sum && !value.rows.empty() ? 1 : 0;
        ASSERT_EQ(shown.rows.size(), value.rows.size() + sums) << value.id;
        for (std::size_t r = 0; r < value.rows.size(); ++r) {
          std::size_t at = 0;
          for (std::size_t i = 0; i < value.columns.size(); ++i) {
            const report::Kind kind = value.columns[i].kind;
            if (kind == report::Kind::exact) continue;
            const TableCell& cell = shown.rows[r].cells[at++];
            if (!report::is_number(kind)) continue;
            EXPECT_EQ(cell.text, report::number_text(value, kind, value.rows[r].cells[i]));
            if (const auto* amount = std::get_if<report::Amount>(&value.rows[r].cells[i])) {
              EXPECT_EQ(cell.value, static_cast<double>(amount->total));
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace stepscope::viewer
