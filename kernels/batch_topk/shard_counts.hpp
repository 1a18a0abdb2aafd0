// SPDX-License-Identifier: Apache-2.0
// A matrix whose columns are spread over shards, in order, is selected from as a whole: what each
// shard must select of its own, from sums of the shards' histograms alone.
//
// This is the host's form, for tests and as the pattern of a distributed one: three rounds in which
// each shard counts the next digit of its keys and the counts are added (an all-reduce of 2,048
// numbers), then one number a shard, the entries equal to the least selected key. Equal keys go by
// (column, row), so the shards take them in their order, and each shard's own cut is that of
// batch_topk with its count.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/batch_topk/batch_topk.hpp"

namespace stepscope::kernels {

// `shards` with keys, and for affine keys mean and scale, in host memory; their policies are equal.
std::vector<std::int64_t> shard_counts(const std::vector<BatchTopkArguments>& shards,
                                       std::int64_t count);

}  // namespace stepscope::kernels
