// SPDX-License-Identifier: Apache-2.0
#include "viewer/view/tables/table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

namespace stepscope::viewer {
namespace {

using ::testing::ElementsAre;

// Owners of 9, 10 and 100 ms, whose texts sort otherwise than their values, and their sum.
Table owners() {
  Table out{"Owners", {{"owner"}, {"ms", 90, true}}, {}, {"by hand"}, ""};
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

}  // namespace
}  // namespace stepscope::viewer
