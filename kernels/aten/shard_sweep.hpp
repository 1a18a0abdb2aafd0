// SPDX-License-Identifier: Apache-2.0
// kernels/shard_topk/shard_sweep on tensors: the calls of its sequence, between which the shards
// exchange `published`. On the CPU: SweptKeys, the same numbers.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "kernels/aten/batch_topk.hpp"
#include "kernels/aten/shard_cut.hpp"
#include "kernels/aten/shard_topk.hpp"
#include "kernels/shard_topk/shard_sweep.hpp"

namespace stepscope::aten {

// Memory on the matrix's device; what is known of its keys is kept from one selection to the next.
struct ShardSweepMemory {
  at::Tensor state;      // uint8 [sizeof(ShardSweepState)]
  at::Tensor published;  // int64 [kShardPublished]: every shard gets all
  at::Tensor outcome;    // int64 [2]: ShardCutOutcome
};
ShardSweepMemory shard_sweep_memory(const at::Tensor& acts);

// One shard's matrix, for the calls of one sequence: z-scored, affine or raw keys, the whole
// matrix's count. `keys` lends its workspace, and its mean and scale, which z-scores are written
// to; its warm start is left alone.
struct ShardSweepCall {
  at::Tensor acts;
  BatchTopkWanted wanted;
  BatchTopkMemory& keys;
  std::int64_t groups;
  ShardSweepMemory& memory;
};

// The mask, which shard_sweep_settle completes where it decides; int32 [rows, words].
at::Tensor shard_sweep_collect(const ShardSweepCall& call);
// all_published: int64 [shards, kShardPublished], in the shards' order; this one is `shard`.
void shard_sweep_settle(const ShardSweepCall& call, const at::Tensor& mask,
                        const at::Tensor& all_published, std::int64_t shard);
// Takes over what shard_cut's sequence found, or what was given to shard_cut_learn.
void shard_sweep_learn(const ShardSweepCall& call, const ShardCutMemory& found);
// Returns what was found last, for shard_cut_learn.
ShardTopkMemory shard_sweep_found(const ShardSweepMemory& memory);

}  // namespace stepscope::aten
