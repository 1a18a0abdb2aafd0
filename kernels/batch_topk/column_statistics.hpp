// SPDX-License-Identifier: Apache-2.0
// Mean and 1 / (std + epsilon) of each column by themselves, the same bits that a batch_topk of
// z-scored keys computes: for a selection that needs the keys before batch_topk runs. A column's
// bits depend on its own entries alone, so shards of columns get those of the whole matrix.
#pragma once

#include "kernels/batch_topk/batch_topk.hpp"

namespace stepscope::kernels {

// Reads keys, key_type, rows, columns, column_keys (z_score) and the workspace, sized as for
// batch_topk; writes column_keys.mean and scale.
Status column_statistics(const BatchTopkArguments& arguments, CUstream_st* stream);

}  // namespace stepscope::kernels
