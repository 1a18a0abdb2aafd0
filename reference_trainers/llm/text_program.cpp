// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/llm/text_program.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <vector>

namespace stepscope::llm {

Error run_text_program(const TextWish& wish, const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code problem;
  const fs::path program =
      fs::read_symlink("/proc/self/exe", problem).parent_path() / "text_to_shards";
  if (!fs::exists(program, problem))
    return bad_input(
        "--text: this build has no SentencePiece: apt-get install libsentencepiece-dev, then "
        "configure and build again (STEPSCOPE_WITH_SENTENCEPIECE)");
  std::vector<std::string> words{program.string(),
                                 "--text",
                                 wish.text,
                                 "--write-data",
                                 folder,
                                 "--tokenizer",
                                 wish.tokenizer,
                                 "--separator",
                                 wish.separator,
                                 "--train-tokenizer",
                                 std::to_string(wish.train_tokenizer)};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execv(program.c_str(), arguments.data());
  return io_error(fmt::format("{}: cannot be run: {}", program.string(), std::strerror(errno)));
}

}  // namespace stepscope::llm
