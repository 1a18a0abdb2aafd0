// SPDX-License-Identifier: Apache-2.0
// Shards in one process: their masks together are the whole matrix's.
#include "kernels/aten/shard_sweep.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/stack.h>

#include <cstring>
#include <vector>

#include "kernels/aten/bitmask.hpp"
#include "kernels/common/ordered_key.hpp"
#include "tests/kernels/aten/on_devices.hpp"

namespace stepscope::aten {
namespace shard_sweep_test {

constexpr std::int64_t kRows = 10, kColumns = 48, kCount = 61;

struct Shard {
  at::Tensor acts;
  BatchTopkWanted wanted;
  BatchTopkMemory keys;
  ShardSweepMemory sweep;
  at::Tensor mask;

  ShardSweepCall call() { return {acts, wanted, keys, 1, sweep}; }
  ShardCutCall cut(ShardCutMemory& memory) {
    BatchTopkWanted raw = wanted;
    raw.keys = kernels::KeySource::raw;
    return {acts, raw, keys, 1, mask, memory};
  }
};

class AtenShardSweep : public OnDevices {
 protected:
  static std::vector<Shard> shards_of(const at::Tensor& whole, std::int64_t count,
                                      const BatchTopkWanted& wanted) {
    std::vector<Shard> shards;
    for (const at::Tensor& part : whole.chunk(count, 1))
      shards.push_back({part.contiguous(), wanted, {}, shard_sweep_memory(part), at::Tensor()});
    return shards;
  }

  static bool sweep(std::vector<Shard>& shards) {
    std::vector<at::Tensor> published;
    for (Shard& shard : shards) {
      shard.mask = shard_sweep_collect(shard.call());
      published.push_back(shard.sweep.published);
    }
    std::int64_t own = 0, decided = 0;
    for (std::size_t i = 0; i < shards.size(); ++i) {
      shard_sweep_settle(shards[i].call(), shards[i].mask, at::stack(published),
                         static_cast<std::int64_t>(i));
      own += shards[i].sweep.outcome[0].item<std::int64_t>();
      decided += shards[i].sweep.outcome[1].item<std::int64_t>();
    }
    EXPECT_EQ(own, decided > 0 ? kCount : 0);
    EXPECT_TRUE(decided == 0 || decided == std::ssize(shards));
    return decided > 0;
  }

  // A cut that has found this key.
  ShardCutMemory cut_about(std::uint32_t key) const {
    const kernels::ShardCutState state{.guess = kernels::guess_about(key, 12)};
    const at::Tensor bytes = at::empty({sizeof state}, at::kByte);
    std::memcpy(bytes.mutable_data_ptr(), &state, sizeof state);
    ShardCutMemory memory = shard_cut_memory(bytes.to(device_));
    memory.state.copy_(bytes);
    return memory;
  }

  static std::uint32_t middle_of(const ShardCutMemory& memory) {
    const at::Tensor bytes = memory.state.cpu();
    return kernels::middle_of(
        static_cast<const kernels::ShardCutState*>(bytes.const_data_ptr())->guess);
  }

  static at::Tensor joined(const std::vector<Shard>& shards) {
    std::vector<at::Tensor> masks;
    for (const Shard& shard : shards)
      masks.push_back(bitmask_to_bool(shard.mask, shard.acts.size(1)));
    return at::cat(masks, 1);
  }
};

TEST_P(AtenShardSweep, ShardsSelectAsTheWholeDoes) {
  for (const bool alike : {false, true})
    for (const kernels::KeySource source : {kernels::KeySource::raw, kernels::KeySource::z_score}) {
      const at::Tensor made = normal({kRows, kColumns});
      const at::Tensor acts = alike ? made.round() : made;
      const BatchTopkWanted wanted{.count = kCount, .keys = source};
      BatchTopkMemory memory;
      const at::Tensor expected = bitmask_to_bool(batch_topk_mask(acts, wanted, memory), kColumns);
      const std::uint32_t least =
          kernels::ordered_key(batch_topk_threshold(memory).item<float>(), kernels::NanRank::first);
      for (const std::int64_t count : {1, 2, 3, 4}) {
        std::vector<Shard> shards = shards_of(acts, count, wanted);
        EXPECT_FALSE(sweep(shards));  // nothing is known yet
        for (Shard& shard : shards) shard_sweep_learn(shard.call(), cut_about(least));
        for (int turn = 0; turn < 3; ++turn) {
          EXPECT_TRUE(sweep(shards));
          expect_equal(joined(shards), expected);
        }
      }
    }
}

TEST_P(AtenShardSweep, TheCutLearnsWhatWasFound) {
  const at::Tensor acts = normal({kRows, kColumns});
  const BatchTopkWanted wanted{.count = kCount};
  BatchTopkMemory memory;
  (void)batch_topk_mask(acts, wanted, memory);
  const std::uint32_t least =
      kernels::ordered_key(batch_topk_threshold(memory).item<float>(), kernels::NanRank::first);
  std::vector<Shard> shards = shards_of(acts, 2, wanted);
  const std::uint32_t known = least + 1000;
  EXPECT_FALSE(sweep(shards));
  ShardCutMemory cut = cut_about(known);
  shard_cut_learn(shards[0].cut(cut), shard_sweep_found(shards[0].sweep));
  EXPECT_EQ(middle_of(cut), known);  // nothing was found
  for (Shard& shard : shards) shard_sweep_learn(shard.call(), cut);
  EXPECT_TRUE(sweep(shards));
  shard_cut_learn(shards[1].cut(cut), shard_sweep_found(shards[1].sweep));
  EXPECT_EQ(middle_of(cut), least);
}

TEST_P(AtenShardSweep, BadArgumentsAreNamed) {
  const at::Tensor acts = normal({kRows, kColumns});
  Shard shard = std::move(shards_of(acts, 1, {.count = kCount})[0]);
  shard.mask = shard_sweep_collect(shard.call());
  const at::Tensor published = shard.sweep.published;
  expect_refused([&] { shard_sweep_settle(shard.call(), shard.mask, published, 1); },
                 "shard: must be 0 to 0, is 1");
  expect_refused([&] { shard_sweep_settle(shard.call(), shard.mask, published.slice(0, 1), 0); },
                 "all_published: must be [shards, 8194], contiguous");
  expect_refused(
      [&] {
        shard_sweep_settle(shard.call(), shard.mask, published.expand({65, -1}), 0);
      },
      "all_published: must be [shards, 8194], contiguous");
  expect_refused(
      [&] {
        const at::Tensor many = at::stack(std::vector<at::Tensor>(65, published));
        shard_sweep_settle(shard.call(), shard.mask, many, 0);
      },
      "all_published: must be of 64 shards at most");
  Shard halves = std::move(shards_of(acts.to(at::kBFloat16), 1, {.count = kCount})[0]);
  expect_refused([&] { (void)shard_sweep_collect(halves.call()); },
                 "key_type: of raw keys must be float32");
  shard.sweep.published = published.slice(0, 1);
  expect_refused([&] { (void)shard_sweep_collect(shard.call()); }, "published: must be 8194");
}

STEPSCOPE_ON_DEVICES(AtenShardSweep);

}  // namespace shard_sweep_test
}  // namespace stepscope::aten
