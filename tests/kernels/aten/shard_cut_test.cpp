// SPDX-License-Identifier: Apache-2.0
// Shards in one process: their masks together are the whole matrix's.
#include "kernels/aten/shard_cut.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros_like.h>

#include <vector>

#include "kernels/aten/bitmask.hpp"
#include "tests/kernels/aten/on_devices.hpp"

namespace stepscope::aten {
namespace shard_cut_test {

constexpr std::int64_t kRows = 10, kColumns = 48, kCount = 61;

struct Shard {
  at::Tensor acts;
  BatchTopkMemory keys;
  ShardCutMemory cut;
  ShardTopkMemory rounds;
  at::Tensor mask;

  ShardCutCall call() { return {acts, {.count = kCount}, keys, 1, mask, cut}; }
  ShardTopkCall of_rounds() { return {acts, {.count = kCount}, keys, rounds}; }
};

class AtenShardCut : public OnDevices {
 protected:
  static std::vector<Shard> shards_of(const at::Tensor& whole, std::int64_t count) {
    std::vector<Shard> shards;
    for (const at::Tensor& part : whole.chunk(count, 1))
      shards.push_back({part.contiguous(),
                        {},
                        shard_cut_memory(part),
                        shard_topk_memory(part, 1),
                        at::Tensor()});
    return shards;
  }

  // In place of an all-reduce.
  template <class Numbers>
  static void add_up(std::vector<Shard>& shards, Numbers numbers) {
    at::Tensor sum = at::zeros_like(numbers(shards[0]));
    for (Shard& shard : shards) sum += numbers(shard);
    for (Shard& shard : shards) numbers(shard).copy_(sum);
  }

  static bool cut(std::vector<Shard>& shards) {
    for (Shard& shard : shards) {
      shard.mask = batch_topk_mask(shard.acts, {.count = kCount}, shard.keys);
      shard_cut_count(shard.call());
    }
    add_up(shards, [](Shard& shard) { return shard.cut.counts; });
    std::vector<at::Tensor> finalists;
    for (Shard& shard : shards) {
      shard_cut_list(shard.call());
      finalists.push_back(shard.cut.finalists);
    }
    std::int64_t own = 0, decided = 0;
    for (std::size_t i = 0; i < shards.size(); ++i) {
      shard_cut_settle(shards[i].call(), at::stack(finalists), static_cast<std::int64_t>(i));
      own += shards[i].cut.outcome[0].item<std::int64_t>();
      decided += shards[i].cut.outcome[1].item<std::int64_t>();
    }
    EXPECT_EQ(own, decided > 0 ? kCount : 0);
    EXPECT_TRUE(decided == 0 || decided == std::ssize(shards));
    return decided > 0;
  }

  static void learn_in_rounds(std::vector<Shard>& shards) {
    for (int round = 0; round < kernels::kShardRounds; ++round) {
      for (Shard& shard : shards) shard_topk_count(shard.of_rounds(), round);
      add_up(shards, [](Shard& shard) { return shard.rounds.counts; });
      for (Shard& shard : shards) shard_topk_choose(shard.of_rounds(), round);
    }
    for (Shard& shard : shards) shard_cut_learn(shard.call(), shard.rounds);
  }

  static at::Tensor joined(const std::vector<Shard>& shards) {
    std::vector<at::Tensor> masks;
    for (const Shard& shard : shards)
      masks.push_back(bitmask_to_bool(shard.mask, shard.acts.size(1)));
    return at::cat(masks, 1);
  }
};

TEST_P(AtenShardCut, ShardsSelectAsTheWholeDoes) {
  for (const bool alike : {false, true}) {
    const at::Tensor made = normal({kRows, kColumns});
    const at::Tensor acts = alike ? made.round() : made;
    BatchTopkMemory memory;
    const at::Tensor expected =
        bitmask_to_bool(batch_topk_mask(acts, {.count = kCount}, memory), kColumns);
    for (const std::int64_t count : {2, 3, 4}) {
      std::vector<Shard> shards = shards_of(acts, count);
      EXPECT_FALSE(cut(shards));  // nothing is known yet
      learn_in_rounds(shards);
      for (int turn = 0; turn < 2; ++turn) {
        EXPECT_TRUE(cut(shards));
        expect_equal(joined(shards), expected);
      }
    }
  }
}

TEST_P(AtenShardCut, BadArgumentsAreNamed) {
  Shard shard = std::move(shards_of(normal({kRows, kColumns}), 1)[0]);
  shard.mask = batch_topk_mask(shard.acts, {.count = kCount}, shard.keys);
  expect_refused([&] { shard_cut_settle(shard.call(), shard.cut.finalists, 1); },
                 "shard: must be 0 to 0, is 1");
  expect_refused([&] { shard_cut_settle(shard.call(), shard.cut.counts, 0); },
                 "all_finalists: must be [shards, 1025], contiguous");
  shard.cut.counts = shard.cut.counts.slice(0, 1);
  expect_refused([&] { shard_cut_count(shard.call()); }, "counts: must be 2048");
}

STEPSCOPE_ON_DEVICES(AtenShardCut);

}  // namespace shard_cut_test
}  // namespace stepscope::aten
