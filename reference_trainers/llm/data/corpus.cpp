// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/llm/data/corpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "reference_trainers/llm/data/grammar.hpp"
#include "reference_trainers/llm/data/token_shard.hpp"

namespace stepscope::llm {
namespace {

constexpr std::size_t kShards = 2;

// A made corpus lies in as many shards in memory as on disk, so that both give the same sequences.
std::vector<std::vector<std::uint16_t>> cut(const std::vector<std::uint16_t>& tokens) {
  std::vector<std::vector<std::uint16_t>> parts;
  for (std::size_t i = 0; i < kShards; ++i) {
    const auto at = [&](std::size_t part) {
      return tokens.begin() + static_cast<std::ptrdiff_t>(tokens.size() * part / kShards);
    };
    parts.emplace_back(at(i), at(i + 1));
  }
  return parts;
}

MadeCorpus made_corpus(const Config& config) {
  constexpr std::int64_t kMostMadeTokens = 65536;  // a made token is 16 bits
  return make_corpus(std::min(config.shape.vocabulary, kMostMadeTokens), config.corpus_tokens,
                     config.seed);
}

std::string about_made(const MadeCorpus& made) {
  return fmt::format("{} tokens of a made grammar, whose entropy is {:.3f} nats a token",
                     made.tokens.size(), made.entropy);
}

}  // namespace

Result<Corpus> open_corpus(const Config& config) {
  std::vector<TokenShard> shards;
  std::string about;
  if (config.data.empty()) {
    const MadeCorpus made = made_corpus(config);
    for (std::vector<std::uint16_t>& part : cut(made.tokens))
      shards.push_back(TokenShard::of(std::move(part), "the made corpus"));
    about = about_made(made);
  } else {
    Result<std::vector<TokenShard>> opened = open_shards(config.data);
    if (!opened) return opened.error();
    shards = std::move(*opened);
  }
  Result<TokenStream> stream = TokenStream::open(
      std::move(shards), config.sequence, config.shape.vocabulary, config.seed, config.documents);
  if (!stream) return stream.error();
  if (about.empty())
    about = fmt::format("{} tokens in {} shards of {}", stream->tokens(), stream->shards(),
                        config.data);
  return Corpus{std::move(*stream), "data: " + about};
}

Status write_made_corpus(const Config& config, const std::function<void(const std::string&)>& say) {
  namespace fs = std::filesystem;
  std::error_code problem;
  fs::create_directories(config.write_data, problem);
  if (problem)
    return io_error(fmt::format("--write-data {}: {}", config.write_data, problem.message()));
  const MadeCorpus made = made_corpus(config);
  std::size_t number = 0;
  for (const std::vector<std::uint16_t>& part : cut(made.tokens)) {
    const fs::path file = fs::path(config.write_data) / fmt::format("train_{:06}.bin", number++);
    if (Status written = write_shard(file.string(), part); !written) return written;
  }
  say(fmt::format("{}: {} shards, {}", config.write_data, number, about_made(made)));
  return Done{};
}

}  // namespace stepscope::llm
