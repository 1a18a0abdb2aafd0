// SPDX-License-Identifier: Apache-2.0
// Shards in one process: their masks together are the whole matrix's.
#include "kernels/aten/shard_topk.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros_like.h>

#include <vector>

#include "kernels/aten/bitmask.hpp"
#include "tests/kernels/aten/on_devices.hpp"

namespace stepscope::aten {
namespace shard_topk_test {

constexpr std::int64_t kRows = 10, kColumns = 48, kCount = 61;

struct Shard {
  at::Tensor acts;
  BatchTopkMemory keys;
  ShardTopkMemory memory;

  ShardTopkCall call() { return {acts, {.count = kCount}, keys, memory}; }
};

class AtenShardTopk : public OnDevices {
 protected:
  static at::Tensor mask_of(const at::Tensor& acts, const BatchTopkWanted& wanted) {
    BatchTopkMemory memory;
    return bitmask_to_bool(batch_topk_mask(acts, wanted, memory), acts.size(1));
  }

  static std::vector<Shard> shards_of(const at::Tensor& whole, std::int64_t count) {
    std::vector<Shard> shards;
    for (const at::Tensor& part : whole.chunk(count, 1))
      shards.push_back({part.contiguous(), {}, shard_topk_memory(part, 1)});
    return shards;
  }

  // In place of an all-reduce.
  static void add_up_counts(std::vector<Shard>& shards) {
    at::Tensor sum = at::zeros_like(shards[0].memory.counts);
    for (const Shard& shard : shards) sum += shard.memory.counts;
    for (Shard& shard : shards) shard.memory.counts.copy_(sum);
  }

  static at::Tensor masks_of(std::vector<Shard>& shards) {
    for (int round = 0; round < kernels::kShardRounds; ++round) {
      for (Shard& shard : shards) shard_topk_count(shard.call(), round);
      add_up_counts(shards);
      for (Shard& shard : shards) shard_topk_choose(shard.call(), round);
    }
    std::vector<at::Tensor> shares, masks;
    for (Shard& shard : shards) shard_topk_shares(shard.call());
    for (const Shard& shard : shards) shares.push_back(shard.memory.shares);
    for (std::size_t i = 0; i < shards.size(); ++i) {
      shard_topk_own_count(shards[i].call(), at::stack(shares), static_cast<std::int64_t>(i));
      masks.push_back(mask_of(shards[i].acts, {.device_count = shards[i].memory.own_count}));
    }
    return at::cat(masks, 1);
  }
};

TEST_P(AtenShardTopk, ShardsSelectAsTheWholeDoes) {
  const at::Tensor acts = normal({kRows, kColumns});
  for (const std::int64_t count : {1, 3, 4}) {
    std::vector<Shard> shards = shards_of(acts, count);
    expect_equal(masks_of(shards), mask_of(acts, {.count = kCount}));
  }
}

TEST_P(AtenShardTopk, EqualKeysAreCutAsTheWholeCutsThem) {
  const at::Tensor acts = normal({kRows, kColumns}).round();
  std::vector<Shard> shards = shards_of(acts, 4);
  expect_equal(masks_of(shards), mask_of(acts, {.count = kCount}));
}

TEST_P(AtenShardTopk, BadArgumentsAreNamed) {
  Shard shard = std::move(shards_of(normal({kRows, kColumns}), 1)[0]);
  expect_refused([&] { shard_topk_count(shard.call(), 3); }, "round: must be 0 to 2, is 3");
  expect_refused([&] { shard_topk_own_count(shard.call(), shard.memory.shares, 1); },
                 "shard: must be 0 to 0, is 1");
  shard.memory.counts = shard.memory.counts.slice(0, 1);
  expect_refused([&] { shard_topk_shares(shard.call()); }, "counts: must be 2048");
}

STEPSCOPE_ON_DEVICES(AtenShardTopk);

}  // namespace shard_topk_test
}  // namespace stepscope::aten
