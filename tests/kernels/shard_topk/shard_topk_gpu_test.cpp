// SPDX-License-Identifier: Apache-2.0
// The kernels against the whole matrix's selection: shards lie side by side on one GPU, and what
// they would exchange is summed on the host.
#include <gtest/gtest.h>

#include "kernels/common/device_buffer.hpp"
#include "kernels/common/stream.hpp"
#include "kernels/shard_topk/shard_topk.hpp"
#include "tests/kernels/shard_topk/whole_and_shards.hpp"
#include "tests/kernels/support/device_keys.hpp"
#include "tests/kernels/support/gpu_found.hpp"

namespace stepscope::kernels {
namespace {

template <class T>
struct ShardOnDevice {
  ShardOnDevice(const typename WholeMatrix<T>::Part& part, std::int64_t groups)
      : keys(part.keys),
        mean(part.mean),
        scale(part.scale),
        state(1),
        counts(kShardBins),
        shares(static_cast<std::size_t>(1 + groups)),
        own_count(1),
        mask(static_cast<std::size_t>(part.arguments.rows *
                                      mask_words_per_row(part.arguments.columns))),
        result(1) {
    arguments.matrix = part.arguments;
    arguments.matrix.keys = keys.data();
    arguments.matrix.column_keys.mean = mean.data();
    arguments.matrix.column_keys.scale = scale.data();
    arguments.groups = groups;
    arguments.state = state.data();
    arguments.counts = counts.data();
    arguments.shares = shares.data();
    arguments.own_count = own_count.data();
  }

  // With the count that lies in device memory; a byte an entry.
  std::vector<std::uint8_t> selected(const Stream& stream) {
    BatchTopkArguments own = arguments.matrix;
    own.device_count = own_count.data();
    own.mask = mask.data();
    own.result = result.data();
    own.workspace_bytes = batch_topk_workspace_bytes(own);
    const DeviceBuffer<std::byte> workspace(own.workspace_bytes);
    own.workspace = workspace.data();
    EXPECT_EQ(batch_topk(own, stream.get()).message(), "");
    cuda_check(cudaStreamSynchronize(stream.get()), "cudaStreamSynchronize");
    const std::vector<std::uint32_t> words = mask.to_host();
    std::vector<std::uint8_t> bytes;
    for (std::int64_t row = 0; row < own.rows; ++row)
      for (std::int64_t column = 0; column < own.columns; ++column)
        bytes.push_back(
            words[static_cast<std::size_t>(row * mask_words_per_row(own.columns) + column / 32)] >>
                (column % 32) &
            1U);
    return bytes;
  }

  DeviceKeys<T> keys;
  DeviceBuffer<float> mean, scale;
  DeviceBuffer<ShardTopkState> state;
  DeviceBuffer<std::int64_t> counts, shares, own_count;
  DeviceBuffer<std::uint32_t> mask;
  DeviceBuffer<BatchTopkResult> result;
  ShardTopkArguments arguments;
};

template <class T>
void exchange_and_choose(std::vector<ShardOnDevice<T>>& shards, const Stream& stream) {
  for (int round = 0; round < kShardRounds; ++round) {
    std::vector<std::int64_t> sums(kShardBins);
    for (ShardOnDevice<T>& shard : shards) {
      EXPECT_EQ(shard_topk_count(shard.arguments, round, stream.get()).message(), "");
      cuda_check(cudaStreamSynchronize(stream.get()), "cudaStreamSynchronize");
      const std::vector<std::int64_t> own = shard.counts.to_host();
      for (std::size_t bin = 0; bin < sums.size(); ++bin) sums[bin] += own[bin];
    }
    for (ShardOnDevice<T>& shard : shards) {
      shard.counts.put(sums);
      EXPECT_EQ(shard_topk_choose(shard.arguments, round, stream.get()).message(), "");
    }
  }
}

template <class T>
void find_own_counts(std::vector<ShardOnDevice<T>>& shards, const Stream& stream) {
  std::vector<std::int64_t> all;
  for (ShardOnDevice<T>& shard : shards) {
    EXPECT_EQ(shard_topk_shares(shard.arguments, stream.get()).message(), "");
    cuda_check(cudaStreamSynchronize(stream.get()), "cudaStreamSynchronize");
    for (const std::int64_t share : shard.shares.to_host()) all.push_back(share);
  }
  const DeviceBuffer<std::int64_t> on_device(all);
  for (std::size_t i = 0; i < shards.size(); ++i)
    EXPECT_EQ(shard_topk_own_count(shards[i].arguments, on_device.data(),
                                   static_cast<std::int64_t>(i), std::ssize(shards), stream.get())
                  .message(),
              "");
  cuda_check(cudaStreamSynchronize(stream.get()), "cudaStreamSynchronize");
}

template <class T>
class ShardTopk : public testing::Test {
  void SetUp() override {
    if (!gpu_found()) GTEST_SKIP() << "no GPU";
  }
};
using KeyTypes = testing::Types<Bfloat16, Float16, float>;
TYPED_TEST_SUITE(ShardTopk, KeyTypes);

template <class T>
void expect_shards_select_as_the_whole(const WholeShape& shape, SpreadBy by, KeySource source,
                                       std::int64_t count, std::uint32_t seed) {
  const Stream stream;
  WholeMatrix<T> whole(shape, source, seed);
  whole.arguments().count = count;
  whole.arguments().positives_only = seed % 3 == 0;
  const std::vector<std::uint8_t> expected = whole.selected();
  for (const std::int64_t shards : {1, 2, 4, 8}) {
    const std::vector<ShardPart> parts = parts_of(shape, by, shards);
    std::vector<ShardOnDevice<T>> on_device;
    for (const ShardPart& of : parts) on_device.emplace_back(whole.part(of), groups_of(shape, by));
    exchange_and_choose(on_device, stream);
    find_own_counts(on_device, stream);
    for (std::size_t i = 0; i < parts.size(); ++i)
      ASSERT_EQ(on_device[i].selected(stream), part_of(expected, shape, parts[i]))
          << "shard " << i << " of " << shards << ", seed " << seed << ", count " << count;
  }
}

TYPED_TEST(ShardTopk, ShardsSelectAsTheWholeOnRandomShapes) {
  for (std::uint32_t seed = 1; seed <= 12; ++seed) {
    std::mt19937 random(seed);
    const WholeShape shape{between(random, 8, 48), between(random, 1, 4), between(random, 8, 308)};
    const std::int64_t entries = shape.rows * shape.columns();
    for (const SpreadBy by : {SpreadBy::features, SpreadBy::rows})
      for (const KeySource source : {KeySource::raw, KeySource::affine})
        expect_shards_select_as_the_whole<TypeParam>(shape, by, source,
                                                     between(random, 0, entries + 1), seed);
  }
}

// Rows longer than a strip, and more blocks' work than blocks.
TYPED_TEST(ShardTopk, ShardsOfManyStripsSelectAsTheWhole) {
  expect_shards_select_as_the_whole<TypeParam>({200, 2, 9001}, SpreadBy::features,
                                               KeySource::affine, 14000, 7);
}

}  // namespace
}  // namespace stepscope::kernels
