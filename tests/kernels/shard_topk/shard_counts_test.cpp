// SPDX-License-Identifier: Apache-2.0
// Shards that select their counts set the bits that the whole matrix's selection sets.
#include "kernels/shard_topk/shard_counts.hpp"

#include <gtest/gtest.h>

#include "kernels/batch_topk/batch_topk_reference.hpp"
#include "tests/kernels/shard_topk/sharded_keys.hpp"
#include "tests/kernels/support/key_patterns.hpp"

namespace stepscope::kernels {
namespace {

template <class T>
void expect_counts_select_as_the_whole(const KeyPattern& pattern, NanPolicy nan, bool positives) {
  BatchTopkArguments whole;
  whole.key_type = KeyTypeOf<T>::value;
  whole.rows = 16;
  whole.columns = 203;
  whole.nan = nan;
  whole.positives_only = positives;
  const std::vector<T> keys = made_keys<T>(pattern, whole.rows, whole.columns);
  whole.keys = keys.data();
  for (const std::int64_t count : {0, 1, 40, 1700, 16 * 203, 5000}) {
    whole.count = count;
    const BatchTopkExpected expected = batch_topk_reference(whole);
    for (const std::int64_t shards : {1, 2, 4, 8}) {
      const ShardedKeys<T> parts(keys, whole, shards);
      const std::vector<std::int64_t> counts = shard_counts(parts.arguments(), count);
      std::vector<std::vector<std::uint32_t>> masks;
      for (std::size_t i = 0; i < counts.size(); ++i) {
        BatchTopkArguments part = parts.arguments()[i];
        part.count = counts[i];
        masks.push_back(batch_topk_reference(part).mask);
      }
      EXPECT_EQ(parts.joined(masks), expected.mask)
          << pattern.name << ", " << count << " of " << shards << " shards";
    }
  }
}

template <class T>
void expect_on_every_pattern() {
  for (const KeyPattern& pattern : key_patterns())
    for (const NanPolicy nan : {NanPolicy::reject, NanPolicy::select})
      for (const bool positives : {false, true})
        expect_counts_select_as_the_whole<T>(pattern, nan, positives);
}

TEST(ShardCounts, SelectAsTheWhole) {
  expect_on_every_pattern<Bfloat16>();
  expect_on_every_pattern<Float16>();
  expect_on_every_pattern<float>();
}

}  // namespace
}  // namespace stepscope::kernels
