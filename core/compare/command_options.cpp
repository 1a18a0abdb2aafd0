// SPDX-License-Identifier: Apache-2.0
// Differences of two commands' options about the size of their work: "--batch 64" against "--batch
// 128".
#include "core/compare/commands.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <sstream>

namespace stepscope::compare_parts {
namespace {

using Options = std::map<std::string, std::string>;

Options options_of(std::string_view command) {
  std::istringstream words{std::string(command)};
  Options out;
  std::string last;
  for (std::string word; words >> word;) {
    if (!word.starts_with('-') || word.size() < 2) {
      if (!last.empty()) out[last] = word;
      last.clear();
      continue;
    }
    const auto equals = word.find('=');
    last = word.substr(0, equals);
    out[last] = equals == std::string::npos ? "" : word.substr(equals + 1);
    if (equals != std::string::npos) last.clear();
  }
  return out;
}

std::vector<std::string> words_of(const std::string& option) {
  std::vector<std::string> out(1);
  for (const char c : option) {
    if (c == '-' || c == '_' || c == '.') {
      out.emplace_back();
    } else {
      out.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return out;
}

// Words of an option's name: "--d-model" and "--micro_batch_size" hold "model" and "batch".
bool names_a_size(const std::string& option) {
  static constexpr std::array<std::string_view, 19> kSizes = {
      "batch",     "seq",          "sequence", "length", "len",      "layers", "hidden",
      "width",     "heads",        "model",    "dim",    "features", "vocab",  "dtype",
      "precision", "accumulation", "tokens",   "bs",     "batchsize"};
  static constexpr std::array<std::string_view, 12> kPlaces = {"dir",   "path",   "file", "name",
                                                               "out",   "output", "id",   "log",
                                                               "cache", "save",   "load", "config"};
  const std::vector<std::string> words = words_of(option);
  const auto any_of = [&](const auto& known) {
    return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
      return std::find(known.begin(), known.end(), word) != known.end();
    });
  };
  const bool of_images = words.size() >= 2 && words.back() == "size" &&
                         (words[words.size() - 2] == "image" || words[words.size() - 2] == "img");
  return (any_of(kSizes) || of_images) && !any_of(kPlaces);
}

// A file or folder is no size, whatever its option is called.
bool is_path(const std::string& value) {
  return value.find('/') != std::string::npos || value.find('\\') != std::string::npos;
}

}  // namespace

std::vector<OptionDifference> option_differences(std::string_view a, std::string_view b) {
  const Options of_a = options_of(a);
  const Options of_b = options_of(b);
  Options all = of_a;
  all.insert(of_b.begin(), of_b.end());
  std::vector<OptionDifference> out;
  const auto value = [](const Options& options, const std::string& name) {
    const auto found = options.find(name);
    return found == options.end()  ? std::string("absent")
           : found->second.empty() ? std::string("given")
                                   : found->second;
  };
  for (const auto& [name, unused] : all) {
    const std::string in_a = value(of_a, name);
    const std::string in_b = value(of_b, name);
    if (in_a != in_b)
      out.push_back({name, in_a, in_b, names_a_size(name) && !is_path(in_a) && !is_path(in_b)});
  }
  return out;
}

}  // namespace stepscope::compare_parts
