// SPDX-License-Identifier: Apache-2.0
#include "kernels/shard_topk/shard_keys.hpp"

#include <algorithm>
#include <numeric>

#include "kernels/batch_topk/batch_topk_reference.hpp"

namespace stepscope::kernels {

ShardKeys::ShardKeys(const BatchTopkArguments& matrix, std::int64_t groups)
    : rows_(matrix.rows),
      columns_(matrix.columns),
      groups_(groups),
      floor_(shard_floor(matrix.positives_only)) {
  const NanRank nan = shard_nan_rank(matrix.nan);
  keys_.reserve(static_cast<std::size_t>(rows_ * columns_));
  for (std::int64_t row = 0; row < rows_; ++row)
    for (std::int64_t column = 0; column < columns_; ++column)
      keys_.push_back(ordered_key(static_cast<float>(batch_topk_key(matrix, row, column)), nan));
}

void ShardKeys::count(const ShardTopkState& state, int round, std::int64_t* counts) const {
  const Digit digit = shard_digit(round);
  const std::uint32_t prefix = round == 0 ? 0 : state.least;
  for (const std::uint32_t key : keys_) {
    if (key >= floor_ && matches_prefix(key, prefix, digit)) ++counts[digit_of(key, digit)];
  }
}

std::vector<std::int64_t> ShardKeys::shares(const ShardTopkState& state) const {
  std::vector<std::int64_t> out(static_cast<std::size_t>(1 + groups_));
  const std::int64_t group_columns = columns_ / groups_;
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    if (keys_[i] < floor_) continue;
    if (keys_[i] > state.least) ++out[0];
    if (keys_[i] != state.least) continue;
    const auto column = static_cast<std::int64_t>(i) % columns_;
    ++out[static_cast<std::size_t>(1 + column / group_columns)];
  }
  return out;
}

std::vector<ShardKeys::Place> ShardKeys::first_equals(std::uint32_t least,
                                                      std::int64_t wanted) const {
  std::vector<Place> places;
  if (wanted < 1) return places;
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    const auto entry = static_cast<std::int64_t>(i);
    if (keys_[i] == least) places.push_back({entry % columns_, entry / columns_});
  }
  const auto end = places.begin() + std::min<std::ptrdiff_t>(wanted, std::ssize(places));
  std::nth_element(places.begin(), end, places.end(), [](const Place& a, const Place& b) {
    return a.column != b.column ? a.column < b.column : a.row < b.row;
  });
  places.erase(end, places.end());
  return places;
}

void ShardKeys::select(const ShardTopkState& state, std::int64_t own_count,
                       std::uint8_t* bytes) const {
  std::int64_t above = 0;
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    bytes[i] = keys_[i] > state.least ? 1 : 0;
    above += bytes[i];
  }
  for (const Place& place : first_equals(state.least, own_count - above))
    bytes[place.row * columns_ + place.column] = 1;
}

void shard_choose(ShardTopkState& state, int round, const std::int64_t* counts,
                  std::int64_t count) {
  if (round == 0) {
    const std::int64_t total = std::accumulate(counts, counts + kShardBins, std::int64_t{0});
    const std::int64_t selected = std::min(count, total);
    state = selected < 1 ? select_none_of_shards() : ShardTopkState{0, selected, selected};
  }
  if (state.selected > 0) advance(state, round, choose_bin(counts, kShardBins, state.wanted));
}

std::int64_t shard_own_count(const ShardTopkState& state, const std::int64_t* all_shares,
                             std::int64_t groups, std::int64_t shard, std::int64_t shards) {
  const std::int64_t width = groups + 1;
  std::int64_t own = all_shares[shard * width];
  std::int64_t before = 0;
  for (std::int64_t group = 0; group < groups; ++group)
    for (std::int64_t other = 0; other < shards; ++other) {
      const std::int64_t equal = all_shares[other * width + 1 + group];
      if (other == shard) own += selected_equals(state, before, equal);
      before += equal;
    }
  return own;
}

}  // namespace stepscope::kernels
