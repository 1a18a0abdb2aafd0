// SPDX-License-Identifier: Apache-2.0
// The same selection on the host, written for plainness: keys as double, compared as numbers, one
// sort of all entries. It shares no key transform and no cut with the kernels that it judges.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/batch_topk/batch_topk.hpp"

namespace stepscope::kernels {

struct BatchTopkExpected {
  std::vector<std::uint32_t> mask;
  double threshold = 0;  // +inf where none is selected; NaN where a NaN is the least selected
  std::int64_t selected = 0;
  std::int64_t last_column = -1, last_row = -1;
  std::int64_t nan_count = 0;
};

// `arguments` with keys, and for affine keys mean and scale, in host memory. For z_score the
// given mean and scale are used as for affine: column_statistics_reference judges those.
BatchTopkExpected batch_topk_reference(const BatchTopkArguments& arguments);

// Returns what an entry is ranked by, and whether the policies let it be selected at all.
double batch_topk_key(const BatchTopkArguments& arguments, std::int64_t row, std::int64_t column);
bool may_be_selected(const BatchTopkArguments& arguments, double key);

struct ColumnStatistics {
  std::vector<double> mean, scale;
};
ColumnStatistics column_statistics_reference(const BatchTopkArguments& arguments);

}  // namespace stepscope::kernels
