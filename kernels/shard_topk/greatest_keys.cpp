// SPDX-License-Identifier: Apache-2.0
#include "kernels/shard_topk/greatest_keys.hpp"

#include <algorithm>
#include <numeric>

#include "kernels/batch_topk/batch_topk_reference.hpp"

namespace stepscope::kernels {

GreatestKeys::GreatestKeys(const BatchTopkArguments& matrix, std::int64_t groups)
    : rows_(matrix.rows), columns_(matrix.columns), group_columns_(matrix.columns / groups) {
  const NanRank nan = shard_nan_rank(matrix.nan);
  const std::uint32_t floor = shard_floor(matrix.positives_only);
  for (std::int64_t column = 0; column < columns_; ++column)
    for (std::int64_t row = 0; row < rows_; ++row) {
      const auto key = static_cast<float>(batch_topk_key(matrix, row, column));
      const std::uint32_t ordered = ordered_key(key, nan);
      if (ordered >= floor) entries_.push_back({ordered, column * rows_ + row});
    }
  const auto count = std::clamp<std::ptrdiff_t>(matrix.count, 0, std::ssize(entries_));
  std::partial_sort(entries_.begin(), entries_.begin() + count, entries_.end(),
                    [](const Entry& a, const Entry& b) {
                      return a.key != b.key ? a.key > b.key : a.place < b.place;
                    });
  entries_.resize(static_cast<std::size_t>(count));
}

void GreatestKeys::count(const ShardGuess& guess, std::int64_t* counts) const {
  for (const Entry& entry : entries_) ++counts[bin_of(guess, entry.key)];
}

std::vector<std::int64_t> GreatestKeys::finalists(const ShardGuess& guess,
                                                  const ShardChoice& choice) const {
  std::vector<std::int64_t> published(1 + kShardFinalists);
  if (choice.decided == 0 || choice.bin < 0) return published;
  const auto bin = static_cast<std::uint32_t>(choice.bin);
  for (const Entry& entry : entries_) {
    if (bin_of(guess, entry.key) != bin) continue;
    published[static_cast<std::size_t>(++published[0])] =
        finalist_code(entry.key, first_key_of(guess, bin), group_of(entry));
  }
  return published;
}

std::int64_t GreatestKeys::own_count(const ShardGuess& guess, const ShardChoice& choice,
                                     const std::int64_t* all_finalists, std::int64_t shard,
                                     std::int64_t shards) const {
  std::int64_t kept = 0;
  for (const Entry& entry : entries_)
    if (static_cast<std::int32_t>(bin_of(guess, entry.key)) > choice.bin) ++kept;
  const std::int64_t* const own = all_finalists + shard * (1 + kShardFinalists);
  for (std::int64_t i = 0; i < own[0]; ++i) {
    std::int64_t before = i;  // own ones stand in their order
    for (std::int64_t other = 0; other < shards; ++other) {
      if (other == shard) continue;
      const std::int64_t* const codes = all_finalists + other * (1 + kShardFinalists) + 1;
      before += std::count_if(codes, codes + codes[-1], [&](std::int64_t code) {
        return code > own[1 + i] || (code == own[1 + i] && other < shard);
      });
    }
    if (before < choice.wanted) ++kept;
  }
  return kept;
}

void GreatestKeys::select(std::int64_t count, std::uint8_t* bytes) const {
  std::fill_n(bytes, rows_ * columns_, std::uint8_t{0});
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t place = entries_[static_cast<std::size_t>(i)].place;
    bytes[place % rows_ * columns_ + place / rows_] = 1;
  }
}

ShardChoice shard_cut_choice(const std::int64_t* counts, std::int64_t count) {
  const std::int64_t total = std::accumulate(counts, counts + kShardBins, std::int64_t{0});
  if (total <= std::max<std::int64_t>(count, 0)) return all_of_shards();
  const ChosenBin chosen = choose_bin(counts, kShardBins, count);
  return choice_of(chosen, counts[chosen.bin]);
}

}  // namespace stepscope::kernels
