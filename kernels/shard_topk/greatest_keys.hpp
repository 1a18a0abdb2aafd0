// SPDX-License-Identifier: Apache-2.0
// A shard's own greatest entries in host memory, in the order of selection: what shard_cut.hpp's
// kernels do with them, each call the counterpart of one of theirs. For ranks that train on the
// CPU, and for tests.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/batch_topk/batch_topk.hpp"
#include "kernels/shard_topk/shard_guess.hpp"

namespace stepscope::kernels {

class GreatestKeys {
 public:
  // Takes the keys as ShardCutArguments has them; no mask is needed: the entries are found here.
  explicit GreatestKeys(const BatchTopkArguments& matrix, std::int64_t groups = 1);

  // Added to counts[kShardBins].
  void count(const ShardGuess& guess, std::int64_t* counts) const;
  // [1 + kShardFinalists]
  std::vector<std::int64_t> finalists(const ShardGuess& guess, const ShardChoice& choice) const;
  // Only where the choice is decided.
  std::int64_t own_count(const ShardGuess& guess, const ShardChoice& choice,
                         const std::int64_t* all_finalists, std::int64_t shard,
                         std::int64_t shards) const;
  // bytes[rows, columns]: 1 for the first `count` entries.
  void select(std::int64_t count, std::uint8_t* bytes) const;

 private:
  struct Entry {
    std::uint32_t key;
    std::int64_t place;  // column * rows + row
  };
  std::int64_t group_of(const Entry& entry) const { return entry.place / rows_ / group_columns_; }

  std::int64_t rows_, columns_, group_columns_;
  std::vector<Entry> entries_;
};

// counts[kShardBins] of all shards together; `count` of the whole matrix.
ShardChoice shard_cut_choice(const std::int64_t* counts, std::int64_t count);

}  // namespace stepscope::kernels
