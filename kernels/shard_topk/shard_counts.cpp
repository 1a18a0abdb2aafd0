// SPDX-License-Identifier: Apache-2.0
#include "kernels/shard_topk/shard_counts.hpp"

#include "kernels/shard_topk/shard_keys.hpp"

namespace stepscope::kernels {

std::vector<std::int64_t> shard_counts(const std::vector<BatchTopkArguments>& shards,
                                       std::int64_t count, std::int64_t groups) {
  std::vector<ShardKeys> keys;
  for (const BatchTopkArguments& shard : shards) keys.emplace_back(shard, groups);
  ShardTopkState state;
  for (int round = 0; round < kShardRounds; ++round) {
    std::vector<std::int64_t> sums(kShardBins);
    for (const ShardKeys& shard : keys) shard.count(state, round, sums.data());
    shard_choose(state, round, sums.data(), count);
  }
  std::vector<std::int64_t> all_shares;
  for (const ShardKeys& shard : keys) {
    const std::vector<std::int64_t> own = shard.shares(state);
    all_shares.insert(all_shares.end(), own.begin(), own.end());
  }
  std::vector<std::int64_t> counts;
  for (std::int64_t i = 0; i < std::ssize(shards); ++i)
    counts.push_back(shard_own_count(state, all_shares.data(), groups, i, std::ssize(shards)));
  return counts;
}

}  // namespace stepscope::kernels
