// SPDX-License-Identifier: Apache-2.0
// BatchTopK over shards on several devices in one read of the keys and one exchange, where the
// least selected key lies near that of the selection before. Each shard calls, on its stream:
//
//   shard_sweep_collect      -> mask, published                 every shard gets all (all-gather)
//   shard_sweep_settle       all published -> mask, outcome
//
// The same bracket of keys on every shard: keys above it are selected, and each shard fits its
// keys within, so that each finds the cut among all of them. The mask is the shard's part of the
// whole's, bit for bit, if outcome.decided; that is the same on every shard. Else, and on the first
// selection always, the mask is none: shard_cut.hpp's sequence, or behind it shard_topk.hpp's,
// finds the answer, and shard_sweep_learn notes it for the next selection. Nothing waits for the
// device; what is exchanged does not depend on the matrix.
#pragma once

#include <cstdint>

#include "kernels/batch_topk/batch_topk.hpp"
#include "kernels/shard_topk/shard_bracket.hpp"
#include "kernels/shard_topk/shard_cut.hpp"

namespace stepscope::kernels {

// What a shard fits: how many entries are above the bracket; how many within, or minus as many
// where they are more than kShardCandidates; then finalist_code of each from the bracket's low on,
// in any order.
constexpr std::int64_t kShardPublished = 2 + kShardCandidates;

struct ShardSweepState {
  ShardTopkState found;  // the last that settled: for shard_cut_learn, where selected is above 0
  ShardBracket bracket;  // kept between selections
  std::int64_t places[kShardCandidates];  // column * rows + row, of own candidates as published
};

// Returns what is found now, or else was before.
STEPSCOPE_HOST_DEVICE constexpr ShardTopkState found_by(const ShardTopkState& before,
                                                        const SweepFound& now, std::int64_t count) {
  return finds_least(now) ? ShardTopkState{now.least, count, now.choice.wanted} : before;
}

// Takes over what others found: from then on they know it best.
STEPSCOPE_HOST_DEVICE constexpr void learn(ShardSweepState& state, const ShardCutState& found) {
  state.bracket = moved_to(state.bracket, found.guess);
  state.found = {};
}

struct ShardSweepArguments {
  // The shard's own keys, with the count of the whole matrix and the same policies on every shard;
  // with what batch_topk_collect asks for but warm_start. Raw keys must be float32: brackets are of
  // floats.
  BatchTopkArguments matrix;
  std::int64_t groups = 1;  // shard_topk.hpp

  // In device memory.
  ShardSweepState* state = nullptr;   // zeros before the first selection
  std::int64_t* published = nullptr;  // [kShardPublished]
  ShardCutOutcome* outcome = nullptr;
};

Status shard_sweep_collect(const ShardSweepArguments& arguments, CUstream_st* stream);

// all_published[shards][kShardPublished], in the shards' order; this one is `shard`, of at most
// kMostShards.
Status shard_sweep_settle(const ShardSweepArguments& arguments, const std::int64_t* all_published,
                          std::int64_t shard, std::int64_t shards, CUstream_st* stream);

// `found` by shard_cut.hpp's sequence, its shard_cut_learn included, in device memory.
Status shard_sweep_learn(ShardSweepState* state, const ShardCutState* found, CUstream_st* stream);

// Nothing is selected, whatever the bracket.
constexpr bool sweeps_nothing(const BatchTopkArguments& matrix) {
  return matrix.count < 1 || matrix.rows == 0 || matrix.columns == 0;
}

// Checks the arguments, but for those that batch_topk_collect looks at; ok where a call
// would launch.
Status validate(const ShardSweepArguments& arguments);

}  // namespace stepscope::kernels
