// SPDX-License-Identifier: Apache-2.0
// A matrix cut into shards of columns, of unequal width where the columns do not divide, and the
// shards' masks joined again.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/batch_topk/batch_topk.hpp"

namespace stepscope::kernels {

template <class T>
class ShardedKeys {
 public:
  ShardedKeys(const std::vector<T>& keys, const BatchTopkArguments& whole, std::int64_t shards)
      : whole_(whole) {
    for (std::int64_t shard = 0; shard < shards; ++shard) {
      const std::int64_t begin = whole.columns * shard / shards;
      const std::int64_t end = whole.columns * (shard + 1) / shards;
      std::vector<T> own;
      for (std::int64_t row = 0; row < whole.rows; ++row)
        own.insert(own.end(), keys.begin() + row * whole.columns + begin,
                   keys.begin() + row * whole.columns + end);
      keys_.push_back(own);
      begins_.push_back(begin);
      BatchTopkArguments part = whole;
      part.columns = end - begin;
      arguments_.push_back(part);
    }
    for (std::size_t i = 0; i < keys_.size(); ++i) arguments_[i].keys = keys_[i].data();
  }

  const std::vector<BatchTopkArguments>& arguments() const { return arguments_; }
  const std::vector<T>& keys(std::size_t shard) const { return keys_[shard]; }

  std::vector<std::uint32_t> joined(const std::vector<std::vector<std::uint32_t>>& masks) const {
    const std::int64_t words = mask_words_per_row(whole_.columns);
    std::vector<std::uint32_t> mask(static_cast<std::size_t>(whole_.rows * words));
    for (std::size_t i = 0; i < masks.size(); ++i) {
      const std::int64_t own_words = mask_words_per_row(arguments_[i].columns);
      for (std::int64_t row = 0; row < whole_.rows; ++row)
        for (std::int64_t column = 0; column < arguments_[i].columns; ++column) {
          const auto own = static_cast<std::size_t>(row * own_words + column / 32);
          if ((masks[i][own] >> (column % 32) & 1U) == 0) continue;
          const std::int64_t at = begins_[i] + column;
          mask[static_cast<std::size_t>(row * words + at / 32)] |= 1U << (at % 32);
        }
    }
    return mask;
  }

 private:
  const BatchTopkArguments whole_;
  std::vector<std::vector<T>> keys_;
  std::vector<std::int64_t> begins_;
  std::vector<BatchTopkArguments> arguments_;
};

}  // namespace stepscope::kernels
