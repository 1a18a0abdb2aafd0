// SPDX-License-Identifier: Apache-2.0
// The same selection on the host, written for plainness: keys as double, compared as numbers, one
// sort a row. It shares no key transform and no cut with the kernel that it judges.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/row_topk/row_topk.hpp"

namespace stepscope::kernels {

struct RowTopkExpected {
  std::vector<std::int32_t> columns;      // [rows, count]
  std::vector<std::uint32_t> value_bits;  // [rows, count], the stored type's bits
  std::vector<std::int32_t> selected;     // [rows]
  std::vector<std::uint32_t> fired_bits;  // fired columns of this call alone
  std::vector<std::uint32_t> fired_counts;
};

// Selects for `arguments` with keys and, where given, considered columns in host memory; outputs
// are ignored.
RowTopkExpected row_topk_reference(const RowTopkArguments& arguments);

}  // namespace stepscope::kernels
