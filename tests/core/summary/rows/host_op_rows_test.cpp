// SPDX-License-Identifier: Apache-2.0
#include "core/summary/rows/operation_rows.hpp"

#include <gmock/gmock.h>

namespace stepscope {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

CellRow cell(Cause cause, const std::string& operation, std::int64_t ns, std::uint64_t calls) {
  CellRow row;
  row.cause = cause;
  row.operation = operation;
  row.ns_total = ns;
  row.calls_total = calls;
  return row;
}

TEST(HostOpRows, CellsOfAnOperationAreOneRowLargestFirst) {
  const std::vector<CellRow> cells = {cell(Cause::host_compute_reduce, "aten::sum", 5, 1),
                                      cell(Cause::host_compute_gemm, "aten::mm", 30, 2),
                                      cell(Cause::host_compute_reduce, "aten::sum", 50, 3)};
  const std::vector<HostOpRow> rows = host_op_rows(cells);
  ASSERT_THAT(rows, SizeIs(2));
  EXPECT_EQ(rows[0].name, "aten::sum");
  EXPECT_EQ(rows[0].ns_total, 55);
  EXPECT_EQ(rows[0].calls_total, 4U);
  EXPECT_EQ(rows[1].name, "aten::mm");
}

TEST(HostOpRows, OnlyWhatComputesInTheProcesssPartitionCounts) {
  std::vector<CellRow> cells = {cell(Cause::host_python, "f", 5, 1),
                                cell(Cause::gpu_gemm, "kernel", 5, 1),
                                cell(Cause::host_compute_gemm, "aten::mm", 5, 1)};
  cells.back().device = 0;
  EXPECT_THAT(host_op_rows(cells), IsEmpty());
}

}  // namespace
}  // namespace stepscope
