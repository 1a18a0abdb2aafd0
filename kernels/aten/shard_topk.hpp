// SPDX-License-Identifier: Apache-2.0
// kernels/shard_topk on tensors: the calls of its sequence, between which the shards exchange
// `counts` and `shares` in place. On the CPU: ShardKeys, the same numbers.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "kernels/aten/batch_topk.hpp"
#include "kernels/shard_topk/shard_topk.hpp"

namespace stepscope::aten {

// Memory on the matrix's device.
struct ShardTopkMemory {
  at::Tensor state;      // uint8 [sizeof(ShardTopkState)]
  at::Tensor counts;     // int64 [kShardBins]: the shards add theirs up
  at::Tensor shares;     // int64 [1 + groups]: every shard gets all
  at::Tensor own_count;  // int64 [1]: the outcome, BatchTopkWanted::device_count
};
ShardTopkMemory shard_topk_memory(const at::Tensor& acts, std::int64_t groups);

// One shard's matrix, for the calls of one sequence: raw or affine keys, the whole matrix's count.
struct ShardTopkCall {
  at::Tensor acts;
  BatchTopkWanted wanted;
  BatchTopkMemory& keys;
  ShardTopkMemory& memory;
};

void shard_topk_count(const ShardTopkCall& call, int round);
void shard_topk_choose(const ShardTopkCall& call, int round);
void shard_topk_shares(const ShardTopkCall& call);
// all_shares: int64 [shards, 1 + groups], in the shards' order; this one is `shard`.
void shard_topk_own_count(const ShardTopkCall& call, const at::Tensor& all_shares,
                          std::int64_t shard);

}  // namespace stepscope::aten
