// SPDX-License-Identifier: Apache-2.0
// The sequences of a run, by number: sequence i holds T + 1 tokens, whose first T are the input and
// whose last T the targets. A shard is cut into windows of T tokens (the next one's first is this
// one's last target); an epoch takes the shards in a shuffled order, and each shard's windows
// shuffled. What is left over at a shard's end is dropped. With Documents::packed a shard's
// documents are packed into rows of T + 1 tokens in place of windows (packing.hpp). Seed and shards
// fix everything, so a run that goes on from step n reads what it would have read.
#pragma once

#include <cstdint>
#include <vector>

#include "core/support/result.hpp"
#include "reference_trainers/llm/data/packing.hpp"
#include "reference_trainers/llm/data/token_shard.hpp"

namespace stepscope::llm {

// How documents, which a token of their own begins, are treated.
//   ignored  windows run on over them, and attention does
//   masked   windows, in which positions begin anew with each document
//   packed   rows of whole documents, as far as they fit
enum class Documents : std::uint8_t { ignored, masked, packed };
struct DocumentRule {
  Documents treat = Documents::ignored;
  std::int64_t token = 0;
};

class TokenStream {
 public:
  // An Error where no shard holds one sequence.
  static Result<TokenStream> open(std::vector<TokenShard> shards, std::int64_t sequence,
                                  std::int64_t vocabulary, std::uint64_t seed,
                                  const DocumentRule& documents = {});

  std::int64_t sequences_an_epoch() const { return an_epoch_; }
  std::int64_t tokens() const;
  std::size_t shards() const { return shards_.size(); }

  // Sequence `index` of the run to out[0 .. T]; each token's place in its document to
  // positions[0 .. T], where that is given.
  Status read(std::int64_t index, std::int64_t* out, std::int64_t* positions = nullptr);

 private:
  Result<std::vector<std::int64_t>> document_begins(std::size_t shard) const;
  Result<PackedRows> packed_rows(std::size_t shard) const;
  Status find(std::int64_t index);

  std::vector<TokenShard> shards_;
  std::int64_t sequence_ = 0, vocabulary_ = 0, an_epoch_ = 0;
  std::uint64_t seed_ = 0;
  DocumentRule documents_;
  std::vector<std::int64_t> counts_;  // sequences of each shard
  // Where the last read was: sequences [begin, end) are one shard's in one epoch.
  std::int64_t begin_ = 0, end_ = 0;
  std::size_t shard_ = 0;
  std::vector<std::int64_t> order_;
  PackedRows rows_;  // rows of that shard
};

}  // namespace stepscope::llm
