// SPDX-License-Identifier: Apache-2.0
// What a shell may offer behind each verb, read off the parser itself, so that it cannot fall
// behind it.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace stepscope {

// The values that an option takes, where the parser knows them: --format of text, json, ...
struct OptionValues {
  std::vector<std::string> names;  // --format; -o
  std::vector<std::string> values;
};

struct VerbWords {
  std::string path;                // "report", "gate run"
  std::vector<std::string> words;  // verbs below it, values of its arguments, its options
  std::vector<OptionValues> options;
};

// Every verb and every verb below one, in the order of --help. Options that --help hides are left
// out.
std::vector<VerbWords> completion_words(const CLI::App& app);

// Long and short names of an app's own options, without what --help hides.
std::vector<std::string> option_words(const CLI::App& app);

}  // namespace stepscope
