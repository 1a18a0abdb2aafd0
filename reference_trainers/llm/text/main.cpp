// SPDX-License-Identifier: Apache-2.0
// A program of its own: SentencePiece and LibTorch both bring the symbols of protobuf, and one
// process must not have both.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "reference_trainers/llm/text/text_shards.hpp"

namespace {

constexpr int kFailed = 1, kUsage = 2;

int fail(int status, const std::string& message) {
  std::fprintf(stderr, "text_to_shards: error: %s\n", message.c_str());
  return status;
}

int run(int count, char** arguments) {
  using namespace stepscope;
  llm::TextShards wish;
  CLI::App app("Turns text into token shards for train_llm --data.", "text_to_shards");
  app.option_defaults()->always_capture_default();
  app.add_option("--text", wish.text, "A file of UTF-8 text, or a folder of *.txt")
      ->type_name("PATH")
      ->required();
  app.add_option("--write-data", wish.folder, "Where the shards go")
      ->type_name("FOLDER")
      ->required();
  app.add_option("--tokenizer", wish.tokenizer, "Model of SentencePiece")
      ->type_name("FILE")
      ->required();
  app.add_option("--train-tokenizer", wish.train_vocabulary,
                 "Make the model of the text first, with at most so many tokens; 0: it is there")
      ->check(CLI::Range(0, 65536));
  app.add_option("--separator", wish.separator,
                 "Line that ends a document, such as '<|endoftext|>'; else a file is one")
      ->type_name("LINE");
  app.add_option("--shard-tokens", wish.shard_tokens, "Tokens of a shard")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 30));
  try {
    app.parse(count, arguments);
  } catch (const CLI::CallForHelp&) {
    return std::fputs(app.help().c_str(), stdout) < 0 ? kFailed : 0;
  } catch (const CLI::ParseError& error) {
    return fail(kUsage, std::string(error.what()) + " (see text_to_shards --help)");
  }
  const auto say = [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); };
  const auto written = llm::write_text_shards(wish, say);
  return written ? 0 : fail(kFailed, written.error().message);
}

}  // namespace

int main(int count, char** arguments) {
  try {
    return run(count, arguments);
  } catch (const std::exception& error) {
    return fail(kFailed, error.what());
  }
}
