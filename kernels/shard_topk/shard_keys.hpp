// SPDX-License-Identifier: Apache-2.0
// A shard in host memory: what shard_topk.hpp's kernels do, each call of it the counterpart of one
// of theirs, and the shard's own selection. For ranks that train on the CPU, and for tests.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/batch_topk/batch_topk.hpp"
#include "kernels/shard_topk/shard_steps.hpp"

namespace stepscope::kernels {

class ShardKeys {
 public:
  // Takes the keys as ShardTopkArguments has them; keys, and for affine keys mean and scale, are
  // read here only.
  explicit ShardKeys(const BatchTopkArguments& matrix, std::int64_t groups = 1);

  // Added to counts[kShardBins].
  void count(const ShardTopkState& state, int round, std::int64_t* counts) const;
  // [1 + groups]
  std::vector<std::int64_t> shares(const ShardTopkState& state) const;
  // bytes[rows, columns]: 1 where selected. `own_count` of this shard, its shares()[0] or more.
  void select(const ShardTopkState& state, std::int64_t own_count, std::uint8_t* bytes) const;

 private:
  struct Place {
    std::int64_t column, row;
  };
  std::vector<Place> first_equals(std::uint32_t least, std::int64_t wanted) const;

  std::int64_t rows_, columns_, groups_;
  std::uint32_t floor_;
  std::vector<std::uint32_t> keys_;  // ordered, [rows, columns]
};

// counts[kShardBins] of all shards together; `count` of the whole matrix.
void shard_choose(ShardTopkState& state, int round, const std::int64_t* counts, std::int64_t count);

// all_shares[shards][1 + groups]
std::int64_t shard_own_count(const ShardTopkState& state, const std::int64_t* all_shares,
                             std::int64_t groups, std::int64_t shard, std::int64_t shards);

}  // namespace stepscope::kernels
