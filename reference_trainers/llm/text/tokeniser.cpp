// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/llm/text/tokeniser.hpp"

#include <fmt/format.h>
#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include <fstream>
#include <unordered_map>

#include "reference_trainers/llm/text/text_documents.hpp"

namespace stepscope::llm {
namespace {

constexpr int kMostTokens = 65536;

Error tokeniser_error(const std::string& model, const std::string& what) {
  return bad_input(fmt::format("tokenizer {}: {}", model, what));
}

// Lines with their ends: the end is a token of its own.
class Lines final : public sentencepiece::SentenceIterator {
 public:
  explicit Lines(std::vector<std::string> lines) : lines_(std::move(lines)) {}
  bool done() const override { return at_ >= lines_.size(); }
  void Next() override { ++at_; }
  const std::string& value() const override { return lines_[at_]; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  const std::vector<std::string> lines_;
  std::size_t at_ = 0;
};

Result<std::vector<std::string>> lines_of(const std::vector<std::string>& files,
                                          const std::string& separator) {
  std::vector<std::string> lines;
  const Status read = for_each_document(files, separator, [&](std::string_view text) -> Status {
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      if (end > begin) lines.emplace_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
    return Done{};
  });
  if (!read) return read.error();
  if (lines.empty()) return bad_input("--text: there is no text in it");
  return lines;
}

std::unordered_map<std::string, std::string> settings_of(int vocabulary) {
  return {{"model_type", "bpe"},
          {"vocab_size", std::to_string(vocabulary)},
          {"hard_vocab_limit", "false"},
          {"character_coverage", "0.9995"},
          {"byte_fallback", "true"},
          {"split_digits", "true"},
          {"normalization_rule_name", "identity"},
          {"remove_extra_whitespaces", "false"},
          {"add_dummy_prefix", "false"},
          {"allow_whitespace_only_pieces", "true"},
          {"user_defined_symbols", "\n"},
          {"input_sentence_size", "2000000"},
          {"shuffle_input_sentence", "true"},
          {"max_sentence_length", "65536"},
          {"num_threads", "1"},
          {"minloglevel", "2"}};
}

}  // namespace

struct Tokeniser::Model {
  sentencepiece::SentencePieceProcessor pieces;
};

Result<Tokeniser> Tokeniser::open(const std::string& path) {
  if (!std::ifstream(path)) return io_error(fmt::format("tokenizer {}: cannot be opened", path));
  const auto model = std::make_shared<Model>();
  if (const auto loaded = model->pieces.Load(path); !loaded.ok())
    return tokeniser_error(path, "it is no model of SentencePiece");
  if (model->pieces.GetPieceSize() > kMostTokens)
    return tokeniser_error(path, fmt::format("it has {} tokens, a shard takes {}",
                                             model->pieces.GetPieceSize(), kMostTokens));
  if (model->pieces.bos_id() < 0)
    return tokeniser_error(path, "it has no token that begins a document (bos_id)");
  Tokeniser out;
  out.model_ = model;
  return out;
}

int Tokeniser::vocabulary() const {
  return model_->pieces.GetPieceSize();
}
int Tokeniser::document_token() const {
  return model_->pieces.bos_id();
}

Status Tokeniser::add(std::string_view document, std::vector<std::uint16_t>& tokens) const {
  std::vector<int> ids;
  const auto made = model_->pieces.Encode({document.data(), document.size()}, &ids);
  if (!made.ok()) return bad_input(fmt::format("SentencePiece: {}", made.message()));
  tokens.push_back(static_cast<std::uint16_t>(document_token()));
  for (const int id : ids) tokens.push_back(static_cast<std::uint16_t>(id));
  return Done{};
}

std::string Tokeniser::text_of(const std::vector<std::uint16_t>& tokens) const {
  std::string text;
  (void)model_->pieces.Decode(std::vector<int>(tokens.begin(), tokens.end()), &text);
  return text;
}

Status train_tokeniser(const std::vector<std::string>& files, const std::string& separator,
                       int vocabulary, const std::string& model) {
  Result<std::vector<std::string>> lines = lines_of(files, separator);
  if (!lines) return lines.error();
  Lines iterator(std::move(*lines));
  sentencepiece::SetRandomGeneratorSeed(0);
  std::string serialised;
  const auto trained =
      sentencepiece::SentencePieceTrainer::Train(settings_of(vocabulary), &iterator, &serialised);
  if (!trained.ok())
    return bad_input(
        fmt::format("tokenizer {}: SentencePiece: {}; give it more text or a smaller "
                    "--vocabulary",
                    model, trained.message()));
  std::ofstream file(model, std::ios::binary | std::ios::trunc);
  file << serialised << std::flush;
  if (!file) return io_error(fmt::format("tokenizer {}: cannot be written", model));
  return Done{};
}

}  // namespace stepscope::llm
