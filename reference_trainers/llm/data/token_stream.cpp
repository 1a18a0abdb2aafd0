// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/llm/data/token_stream.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reference_trainers/llm/data/shuffle.hpp"

namespace stepscope::llm {

Result<TokenStream> TokenStream::open(std::vector<TokenShard> shards, std::int64_t sequence,
                                      std::int64_t vocabulary, std::uint64_t seed) {
  TokenStream stream;
  stream.shards_ = std::move(shards);
  stream.sequence_ = sequence;
  stream.vocabulary_ = vocabulary;
  stream.seed_ = seed;
  std::int64_t longest = 0;
  for (std::size_t shard = 0; shard < stream.shards_.size(); ++shard) {
    stream.an_epoch_ += stream.windows_of(shard);
    longest = std::max(longest, stream.shards_[shard].size());
  }
  if (stream.an_epoch_ > 0) return stream;
  return bad_input(
      fmt::format("--sequence {}: no shard holds so many tokens and one more; the longest has {}",
                  sequence, longest));
}

std::int64_t TokenStream::windows_of(std::size_t shard) const {
  return std::max<std::int64_t>(0, (shards_[shard].size() - 1) / sequence_);
}

std::int64_t TokenStream::tokens() const {
  std::int64_t sum = 0;
  for (const TokenShard& shard : shards_) sum += shard.size();
  return sum;
}

void TokenStream::find(std::int64_t index) {
  if (begin_ <= index && index < end_) return;
  const std::int64_t epoch = index / an_epoch_;
  const std::uint64_t of_epoch = mixed_bits(seed_ ^ mixed_bits(static_cast<std::uint64_t>(epoch)));
  end_ = epoch * an_epoch_;
  for (const std::int64_t shard : shuffled(static_cast<std::int64_t>(shards_.size()), of_epoch)) {
    shard_ = static_cast<std::size_t>(shard);
    begin_ = end_;
    end_ += windows_of(shard_);
    if (index < end_) break;
  }
  order_ = shuffled(end_ - begin_, of_epoch + 1 + shard_);
}

Status TokenStream::read(std::int64_t index, std::int64_t* out) {
  find(index);
  const std::int64_t window = order_[static_cast<std::size_t>(index - begin_)];
  return shards_[shard_].copy(window * sequence_, sequence_ + 1, vocabulary_, out);
}

}  // namespace stepscope::llm
