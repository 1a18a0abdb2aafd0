// SPDX-License-Identifier: Apache-2.0
// kernels/shard_topk/shard_cut on tensors: the calls of its sequence, between which the shards
// exchange `counts` and `finalists`. On the CPU: GreatestKeys, the same numbers.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "kernels/aten/batch_topk.hpp"
#include "kernels/aten/shard_topk.hpp"
#include "kernels/shard_topk/shard_cut.hpp"

namespace stepscope::aten {

// Memory on the matrix's device; what is known of its keys is kept from one selection to the next.
struct ShardCutMemory {
  at::Tensor state;      // uint8 [sizeof(ShardCutState)]
  at::Tensor counts;     // int64 [kShardBins]: the shards add theirs up
  at::Tensor finalists;  // int64 [1 + kShardFinalists]: every shard gets all
  at::Tensor outcome;    // int64 [2]: ShardCutOutcome
};
ShardCutMemory shard_cut_memory(const at::Tensor& acts);

// One shard's matrix, for the calls of one sequence: raw or affine keys, the whole matrix's count,
// and the mask that batch_topk_mask made with them, written in place.
struct ShardCutCall {
  at::Tensor acts;
  BatchTopkWanted wanted;
  BatchTopkMemory& keys;
  std::int64_t groups;
  at::Tensor mask;
  ShardCutMemory& memory;
};

void shard_cut_count(const ShardCutCall& call);
void shard_cut_list(const ShardCutCall& call);
// all_finalists: int64 [shards, 1 + kShardFinalists], in the shards' order; this one is `shard`.
void shard_cut_settle(const ShardCutCall& call, const at::Tensor& all_finalists,
                      std::int64_t shard);
// Takes over what shard_topk's rounds found.
void shard_cut_learn(const ShardCutCall& call, const ShardTopkMemory& found);

}  // namespace stepscope::aten
