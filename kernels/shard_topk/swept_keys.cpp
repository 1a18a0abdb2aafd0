// SPDX-License-Identifier: Apache-2.0
#include "kernels/shard_topk/swept_keys.hpp"

#include <algorithm>
#include <functional>

#include "kernels/batch_topk/batch_topk_reference.hpp"

namespace stepscope::kernels {
namespace {

std::vector<std::int64_t> published_codes(const std::int64_t* all_published, std::int64_t shard) {
  const std::int64_t* const published = all_published + shard * kShardPublished;
  return {published + 2, published + 2 + published[1]};
}

std::vector<std::int64_t> all_codes(const std::int64_t* all_published, std::int64_t shards) {
  std::vector<std::int64_t> all;
  for (std::int64_t shard = 0; shard < shards; ++shard)
    for (const std::int64_t code : published_codes(all_published, shard)) all.push_back(code);
  return all;
}

// Returns how many codes are in the same bin as `of`.
std::int64_t finalists(const std::vector<std::int64_t>& codes, std::int64_t of, int shift) {
  return std::count_if(codes.begin(), codes.end(), [&](std::int64_t code) {
    return offset_of(code) >> shift == offset_of(of) >> shift;
  });
}

}  // namespace

SweptKeys::SweptKeys(const BatchTopkArguments& matrix, const ShardBracket& bracket,
                     std::int64_t groups)
    : rows_(matrix.rows),
      columns_(matrix.columns),
      count_(matrix.count),
      bracket_(bracket),
      swept_(swept_keys(bracket, shard_floor(matrix.positives_only))),
      all_swept_(swept_.low == shard_floor(matrix.positives_only)) {
  if (sweeps_nothing(matrix)) return;
  const NanRank nan = shard_nan_rank(matrix.nan);
  const std::int64_t group_columns = columns_ / groups;
  for (std::int64_t column = 0; column < columns_; ++column)
    for (std::int64_t row = 0; row < rows_; ++row) {
      const auto value = static_cast<float>(batch_topk_key(matrix, row, column));
      const std::uint32_t key = ordered_key(value, nan);
      const std::int64_t place = column * rows_ + row;
      if (key > swept_.high)
        above_.push_back(place);
      else if (key >= swept_.low)
        candidates_.push_back({finalist_code(key, swept_.low, column / group_columns), place});
    }
}

std::vector<std::int64_t> SweptKeys::published() const {
  std::vector<std::int64_t> published(kShardPublished);
  const std::int64_t candidates = std::ssize(candidates_);
  const bool fits = candidates <= kShardCandidates;
  published[0] = std::ssize(above_);
  published[1] = fits ? candidates : -candidates;
  if (!fits) return published;
  std::transform(candidates_.begin(), candidates_.end(), published.begin() + 2,
                 [](const Candidate& candidate) { return candidate.code; });
  return published;
}

SweepCut SweptKeys::cut(const std::int64_t* all_published, std::int64_t shards) const {
  SweepSums sums;
  for (std::int64_t shard = 0; shard < shards; ++shard)
    sums.add(all_published[shard * kShardPublished], all_published[shard * kShardPublished + 1]);
  SweepCut cut{{sweep_choice(sums, count_, all_swept_), sums.candidates}};
  if (!finds_least(cut.found)) return cut;
  std::vector<std::int64_t> codes = all_codes(all_published, shards);
  const auto last = codes.begin() + cut.found.choice.wanted - 1;
  std::nth_element(codes.begin(), last, codes.end(), std::greater<>());
  cut.code = *last;
  cut.found.least = swept_.low + offset_of(cut.code);
  if (finalists(codes, cut.code, bin_shift(swept_)) > kShardFinalists)
    cut.found.choice.verdict = SweepVerdict::many;
  return cut;
}

std::int64_t SweptKeys::select(const SweepCut& cut, const std::int64_t* all_published,
                               std::int64_t shard, std::int64_t shards, std::uint8_t* bytes) const {
  std::fill_n(bytes, rows_ * columns_, std::uint8_t{0});
  std::int64_t selected = 0;
  const auto take = [&](std::int64_t place) {
    bytes[place % rows_ * columns_ + place / rows_] = 1;
    ++selected;
  };
  for (const std::int64_t place : above_) take(place);
  if (!finds_least(cut.found)) return selected;
  std::int64_t equals = cut.found.choice.wanted;  // left for this shard and those behind it
  for (std::int64_t other = 0; other < shards; ++other)
    for (const std::int64_t code : published_codes(all_published, other))
      if (code > cut.code || (code == cut.code && other < shard)) --equals;
  for (const Candidate& candidate : candidates_) {
    if (candidate.code > cut.code) take(candidate.place);
    if (candidate.code == cut.code && equals-- > 0) take(candidate.place);
  }
  return selected;
}

ShardBracket SweptKeys::next(const SweepCut& cut, std::int64_t shards) const {
  return next_bracket(bracket_, swept_, cut.found, count_, shards);
}

}  // namespace stepscope::kernels
