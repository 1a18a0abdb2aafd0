// SPDX-License-Identifier: Apache-2.0
// BatchTopK over shards on several devices in one read of the keys, where the least selected key
// lies near that of the selection before: whatever the whole matrix selects of a shard is among the
// shard's own `count` greatest. So each shard calls, on its stream:
//
//   batch_topk               with the whole matrix's count -> mask
//   shard_cut_count          mask -> counts[kShardBins]    the shards add theirs up (all-reduce)
//   shard_cut_list           counts -> finalists           every shard gets all (all-gather)
//   shard_cut_settle         all finalists -> mask, outcome
//
// and the mask is the shard's part of the whole's, bit for bit, if outcome.decided; that is the
// same on every shard. Else too many keys are alike, or the guess missed: the mask is as batch_topk
// left it, shard_topk.hpp's sequence finds the answer, and shard_cut_learn notes it for the next
// selection. Nothing waits for the device; what is exchanged does not depend on the matrix.
#pragma once

#include <cstdint>

#include "kernels/batch_topk/batch_topk.hpp"
#include "kernels/shard_topk/shard_guess.hpp"

namespace stepscope::kernels {

struct ShardCutState {
  ShardGuess guess;  // kept between selections
  ShardChoice choice;
  std::int64_t kept;                     // own entries of greater bins
  std::int64_t places[kShardFinalists];  // column * rows + row, of own finalists
};

struct ShardCutOutcome {
  std::int64_t own_count = 0;  // bits left in the mask
  std::int64_t decided = 0;    // 1, or 0: then own_count is 0
};

struct ShardCutArguments {
  // As ShardTopkArguments has it, with the mask that batch_topk made of it.
  BatchTopkArguments matrix;
  std::int64_t groups = 1;  // shard_topk.hpp

  // In device memory.
  ShardCutState* state = nullptr;     // zeros before the first selection
  std::int64_t* counts = nullptr;     // [kShardBins]
  std::int64_t* finalists = nullptr;  // [1 + kShardFinalists]: how many, then finalist_code of each
  ShardCutOutcome* outcome = nullptr;
};

Status shard_cut_count(const ShardCutArguments& arguments, CUstream_st* stream);
Status shard_cut_list(const ShardCutArguments& arguments, CUstream_st* stream);

// all_finalists[shards][1 + kShardFinalists], in the shards' order; this one is `shard`.
Status shard_cut_settle(const ShardCutArguments& arguments, const std::int64_t* all_finalists,
                        std::int64_t shard, std::int64_t shards, CUstream_st* stream);

// `found` by shard_topk.hpp's last round, in device memory.
Status shard_cut_learn(const ShardCutArguments& arguments, const ShardTopkState* found,
                       CUstream_st* stream);

// Checks the arguments; ok where a call would launch.
Status validate(const ShardCutArguments& arguments);

}  // namespace stepscope::kernels
