// SPDX-License-Identifier: Apache-2.0
// Text to tokens by SentencePiece (Kudo and Richardson 2018): a model of any kind that it reads, or
// one that is trained here: byte pair encoding, digits apart, nothing normalised, and bytes for
// what the vocabulary lacks, so that every text comes back from its tokens as it was.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/result.hpp"

namespace stepscope::llm {

class Tokeniser {
 public:
  // An Error names the file, and what does not fit a shard's tokens of 16 bits.
  static Result<Tokeniser> open(const std::string& model);

  int vocabulary() const;
  int document_token() const;  // the token that begins a document

  // Appends to `tokens`, the document's token first.
  Status add(std::string_view document, std::vector<std::uint16_t>& tokens) const;
  std::string text_of(const std::vector<std::uint16_t>& tokens) const;

 private:
  struct Model;
  std::shared_ptr<const Model> model_;
};

// Trains a model on at most two million of the lines, the same ones in every run, and writes it.
Status train_tokeniser(const std::vector<std::string>& files, const std::string& separator,
                       int vocabulary, const std::string& model);

}  // namespace stepscope::llm
