// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/llm/text/text_shards.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "reference_trainers/llm/data/token_shard.hpp"
#include "reference_trainers/llm/text/text_documents.hpp"
#include "reference_trainers/llm/text/tokeniser.hpp"

namespace stepscope::llm {
namespace {

namespace fs = std::filesystem;
using Say = std::function<void(const std::string&)>;

class ShardFolder {
 public:
  ShardFolder(const TextShards& wish, const Say& say) : wish_(wish), say_(say) {}

  std::vector<std::uint16_t>& tokens() { return tokens_; }
  std::size_t shards() const { return shards_; }
  std::int64_t written() const { return written_; }

  Status write_where_full() {
    while (static_cast<std::int64_t>(tokens_.size()) >= wish_.shard_tokens) {
      if (const Status done = write(static_cast<std::size_t>(wish_.shard_tokens)); !done)
        return done;
    }
    return Done{};
  }
  Status write_rest() { return tokens_.empty() ? Status(Done{}) : write(tokens_.size()); }

 private:
  Status write(std::size_t count) {
    const fs::path file = fs::path(wish_.folder) / fmt::format("train_{:06}.bin", shards_);
    if (const Status done = write_shard(file.string(), {tokens_.data(), count}); !done) return done;
    tokens_.erase(tokens_.begin(), tokens_.begin() + static_cast<std::ptrdiff_t>(count));
    ++shards_;
    written_ += static_cast<std::int64_t>(count);
    say_(fmt::format("{}: {} tokens", file.string(), count));
    return Done{};
  }

  const TextShards& wish_;
  const Say& say_;
  std::vector<std::uint16_t> tokens_;
  std::size_t shards_ = 0;
  std::int64_t written_ = 0;
};

Status make_folder(const std::string& folder) {
  std::error_code problem;
  fs::create_directories(folder, problem);
  if (problem) return io_error(fmt::format("--write-data {}: {}", folder, problem.message()));
  return Done{};
}

}  // namespace

Status write_text_shards(const TextShards& wish, const Say& say) {
  const auto files = text_files(wish.text);
  if (!files) return files.error();
  if (const Status made = make_folder(wish.folder); !made) return made;
  if (wish.train_vocabulary > 0) {
    say(fmt::format("training a tokenizer of {} tokens on {} files", wish.train_vocabulary,
                    files->size()));
    if (const Status trained =
            train_tokeniser(*files, wish.separator, wish.train_vocabulary, wish.tokenizer);
        !trained)
      return trained;
  }
  const Result<Tokeniser> tokeniser = Tokeniser::open(wish.tokenizer);
  if (!tokeniser) return tokeniser.error();
  ShardFolder out(wish, say);
  std::int64_t documents = 0;
  const auto add = [&](std::string_view text) -> Status {
    ++documents;
    if (const Status added = tokeniser->add(text, out.tokens()); !added) return added;
    return out.write_where_full();
  };
  if (const Status read = for_each_document(*files, wish.separator, add); !read) return read;
  if (const Status rest = out.write_rest(); !rest) return rest;
  if (documents == 0) return bad_input(fmt::format("--text {}: there is no text in it", wish.text));
  say(
      fmt::format("{} documents, {} tokens in {} shards; train on them with --data {} --vocabulary "
                  "{} --document-token {}",
                  documents, out.written(), out.shards(), wish.folder, tokeniser->vocabulary(),
                  tokeniser->document_token()));
  return Done{};
}

}  // namespace stepscope::llm
