// SPDX-License-Identifier: Apache-2.0
// How many entries each of a matrix's shards must select, all shards in one process and in host
// memory: the whole of shard_topk.hpp's sequence with sums in place of its exchanges, for tests.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/batch_topk/batch_topk.hpp"

namespace stepscope::kernels {

// `shards` with keys, and for affine keys mean and scale, in host memory; their policies are equal.
// `groups` as shard_topk.hpp says.
std::vector<std::int64_t> shard_counts(const std::vector<BatchTopkArguments>& shards,
                                       std::int64_t count, std::int64_t groups = 1);

}  // namespace stepscope::kernels
