// SPDX-License-Identifier: Apache-2.0
// BatchTopK over shards on several devices: how many entries each shard must select so that all
// together select what batch_topk would select of the whole matrix, bit for bit.
//
// Each shard calls, on its stream, and lets the shards exchange a little between the calls:
//
//   for round in 0 .. kShardRounds - 1:
//     shard_topk_count       -> counts[kShardBins]        the shards add theirs up (all-reduce)
//     shard_topk_choose      counts -> state
//   shard_topk_shares        -> shares[1 + groups]        every shard gets all (all-gather)
//   shard_topk_own_count     all shares -> own_count      for batch_topk's device_count
//
// then batch_topk of the shard with that count. Nothing waits for the device, and what is
// exchanged depends on neither rows nor columns, but for shards of rows.
//
// Groups: a shard's columns are `groups` ranges of equal order in every shard: in the whole matrix
// all shards' columns of group 0 come first, shard by shard, then those of group 1. Shards that are
// one range of columns each: 1 group. Features of several layers, spread within each layer: a group
// a layer. Shards of rows, in order: a group a column.
#pragma once

#include <cstdint>

#include "kernels/batch_topk/batch_topk.hpp"
#include "kernels/shard_topk/shard_steps.hpp"

namespace stepscope::kernels {

struct ShardTopkArguments {
  // The shard's own keys, with the count of the whole matrix and the same policies on every shard.
  // Only these members are read: keys, key_type, rows, columns, count, nan, positives_only and
  // column_keys (raw, or affine with mean and scale).
  BatchTopkArguments matrix;
  std::int64_t groups = 1;  // divides the columns

  // In device memory.
  ShardTopkState* state = nullptr;
  std::int64_t* counts = nullptr;     // [kShardBins]
  std::int64_t* shares = nullptr;     // [1 + groups]: entries above the cut's key, then those equal
  std::int64_t* own_count = nullptr;  // [1]
};

Status shard_topk_count(const ShardTopkArguments& arguments, int round, CUstream_st* stream);
Status shard_topk_choose(const ShardTopkArguments& arguments, int round, CUstream_st* stream);
Status shard_topk_shares(const ShardTopkArguments& arguments, CUstream_st* stream);

// all_shares[shards][1 + groups], in the shards' order; this one is `shard`.
Status shard_topk_own_count(const ShardTopkArguments& arguments, const std::int64_t* all_shares,
                            std::int64_t shard, std::int64_t shards, CUstream_st* stream);

// Checks the arguments; ok where a call would launch.
Status validate(const ShardTopkArguments& arguments);

}  // namespace stepscope::kernels
