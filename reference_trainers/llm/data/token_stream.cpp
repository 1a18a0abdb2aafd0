// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/llm/data/token_stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "reference_trainers/llm/data/shuffle.hpp"

namespace stepscope::llm {

namespace {

// A document begins at its token, and at the first of a sequence.
void count_positions(const std::int64_t* tokens, std::int64_t count, std::int64_t document_token,
                     std::int64_t* positions) {
  for (std::int64_t i = 0; i < count; ++i)
    positions[i] = i == 0 || tokens[i] == document_token ? 0 : positions[i - 1] + 1;
}

}  // namespace

Result<TokenStream> TokenStream::open(std::vector<TokenShard> shards, std::int64_t sequence,
                                      std::int64_t vocabulary, std::uint64_t seed,
                                      const DocumentRule& documents) {
  TokenStream stream;
  stream.shards_ = std::move(shards);
  stream.sequence_ = sequence;
  stream.vocabulary_ = vocabulary;
  stream.seed_ = seed;
  stream.documents_ = documents;
  std::int64_t longest = 0;
  for (std::size_t shard = 0; shard < stream.shards_.size(); ++shard) {
    const std::int64_t size = stream.shards_[shard].size();
    std::int64_t count = std::max<std::int64_t>(0, (size - 1) / sequence);
    if (documents.treat == Documents::packed) {
      const Result<PackedRows> rows = stream.packed_rows(shard);
      if (!rows) return rows.error();
      count = rows->count();
    }
    stream.counts_.push_back(count);
    stream.an_epoch_ += count;
    longest = std::max(longest, size);
  }
  if (stream.an_epoch_ > 0) return stream;
  return bad_input(
      fmt::format("--sequence {}: no shard holds so many tokens and one more; the longest has {}",
                  sequence, longest));
}

std::int64_t TokenStream::tokens() const {
  std::int64_t sum = 0;
  for (const TokenShard& shard : shards_) sum += shard.size();
  return sum;
}

// A shard without one was made without it, or with another token: packing would cut blindly.
Result<std::vector<std::int64_t>> TokenStream::document_begins(std::size_t shard) const {
  constexpr std::int64_t kAtOnce = 1 << 16;
  const TokenShard& from = shards_[shard];
  std::vector<std::int64_t> begins, tokens(static_cast<std::size_t>(kAtOnce));
  for (std::int64_t at = 0; at < from.size(); at += kAtOnce) {
    const std::int64_t count = std::min(kAtOnce, from.size() - at);
    if (const Status read = from.copy(at, count, vocabulary_, tokens.data()); !read)
      return read.error();
    for (std::int64_t i = 0; i < count; ++i)
      if (tokens[static_cast<std::size_t>(i)] == documents_.token) begins.push_back(at + i);
  }
  if (begins.empty() && from.size() > 0)
    return bad_input(fmt::format(
        "token shard {}: it has no token {}, which begins a document: give the one that its "
        "tokenizer wrote by --document-token, or leave out --documents",
        from.path(), documents_.token));
  return begins;
}

Result<PackedRows> TokenStream::packed_rows(std::size_t shard) const {
  const Result<std::vector<std::int64_t>> begins = document_begins(shard);
  if (!begins) return begins.error();
  return pack_documents(*begins, shards_[shard].size(), sequence_ + 1);
}

Status TokenStream::find(std::int64_t index) {
  if (begin_ <= index && index < end_) return Done{};
  const std::int64_t epoch = index / an_epoch_;
  const std::uint64_t of_epoch = mixed_bits(seed_ ^ mixed_bits(static_cast<std::uint64_t>(epoch)));
  end_ = epoch * an_epoch_;
  for (const std::int64_t shard : shuffled(static_cast<std::int64_t>(shards_.size()), of_epoch)) {
    shard_ = static_cast<std::size_t>(shard);
    begin_ = end_;
    end_ += counts_[shard_];
    if (index < end_) break;
  }
  order_ = shuffled(end_ - begin_, of_epoch + 1 + shard_);
  if (documents_.treat != Documents::packed) return Done{};
  Result<PackedRows> rows = packed_rows(shard_);
  if (!rows) return rows.error();
  rows_ = std::move(*rows);
  return Done{};
}

Status TokenStream::read(std::int64_t index, std::int64_t* out, std::int64_t* positions) {
  if (const Status found = find(index); !found) return found;
  const std::int64_t window = order_[static_cast<std::size_t>(index - begin_)];
  const TokenShard& shard = shards_[shard_];
  if (documents_.treat != Documents::packed) {
    if (Status read = shard.copy(window * sequence_, sequence_ + 1, vocabulary_, out); !read)
      return read;
    if (positions != nullptr) count_positions(out, sequence_ + 1, documents_.token, positions);
    return Done{};
  }
  for (const Piece& piece : rows_.row(window)) {
    if (Status read = shard.copy(piece.begin, piece.count, vocabulary_, out); !read) return read;
    if (positions != nullptr) {
      count_positions(out, piece.count, documents_.token, positions);
      positions += piece.count;
    }
    out += piece.count;
  }
  return Done{};
}

}  // namespace stepscope::llm
