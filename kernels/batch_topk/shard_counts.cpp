// SPDX-License-Identifier: Apache-2.0
#include "kernels/batch_topk/shard_counts.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/batch_topk/batch_topk_reference.hpp"
#include "kernels/common/ordered_key.hpp"
#include "kernels/common/radix_digit.hpp"

namespace stepscope::kernels {
namespace {

using Keys = std::vector<std::uint32_t>;

constexpr Digit kDigits[] = {{21, 11}, {10, 11}, {0, 10}};

// Of what may be selected. Keys of all types are floats, whose order is theirs.
Keys ordered_keys(const BatchTopkArguments& shard) {
  Keys keys;
  for (std::int64_t row = 0; row < shard.rows; ++row)
    for (std::int64_t column = 0; column < shard.columns; ++column) {
      const double key = batch_topk_key(shard, row, column);
      if (may_be_selected(shard, key))
        keys.push_back(ordered_key(static_cast<float>(key), NanRank::first));
    }
  return keys;
}

void add_counts(const Keys& keys, std::uint32_t prefix, Digit digit,
                std::vector<std::uint64_t>& sums) {
  for (const std::uint32_t key : keys)
    if (matches_prefix(key, prefix, digit)) ++sums[digit_of(key, digit)];
}

}  // namespace

std::vector<std::int64_t> shard_counts(const std::vector<BatchTopkArguments>& shards,
                                       std::int64_t count) {
  std::vector<Keys> keys;
  std::int64_t selectable = 0;
  for (const BatchTopkArguments& shard : shards) {
    keys.push_back(ordered_keys(shard));
    selectable += static_cast<std::int64_t>(keys.back().size());
  }
  std::vector<std::int64_t> counts(shards.size());
  std::int64_t wanted = std::min(count, selectable);
  if (wanted < 1) return counts;

  std::uint32_t least = 0;
  for (const Digit digit : kDigits) {
    std::vector<std::uint64_t> sums(std::size_t{1} << digit.bits);
    for (const Keys& of_shard : keys) add_counts(of_shard, least, digit, sums);
    const ChosenBin chosen =
        choose_bin(sums.data(), static_cast<std::uint32_t>(sums.size()), wanted);
    least |= chosen.bin << digit.shift;
    wanted = chosen.wanted;
  }
  for (std::size_t i = 0; i < shards.size(); ++i) {
    const std::int64_t equal =
        std::min<std::int64_t>(wanted, std::count(keys[i].begin(), keys[i].end(), least));
    wanted -= equal;
    counts[i] = equal + std::count_if(keys[i].begin(), keys[i].end(),
                                      [&](std::uint32_t key) { return key > least; });
  }
  return counts;
}

}  // namespace stepscope::kernels
