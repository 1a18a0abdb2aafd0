// SPDX-License-Identifier: Apache-2.0
// Which program a command line runs, as a name that two runs of it share: "train" for
// "python3 -u examples/train.py --steps 5" and for "./build/train". Internal to core/compare.
#include "core/compare/commands.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <sstream>
#include <vector>

namespace stepscope::compare_parts {
namespace {

constexpr std::size_t kLeastPrefix = 3;  // letters that two names begin with

std::vector<std::string> words_of_command(std::string_view command) {
  std::istringstream text{std::string(command)};
  std::vector<std::string> out;
  for (std::string word; text >> word;) out.push_back(word);
  return out;
}

// Programs whose name says nothing about what they run.
bool runs_others(std::string_view name) {
  constexpr std::array<std::string_view, 12> kThese = {
      "python",    "pypy",   "torchrun", "accelerate", "bash", "sh",
      "deepspeed", "mpirun", "srun",     "mpiexec",    "env",  "numactl"};
  const std::string_view stem = name.substr(0, name.find_first_of("0123456789."));
  return std::find(kThese.begin(), kThese.end(), stem) != kThese.end();
}

}  // namespace

std::string program_name(std::string_view command) {
  const std::vector<std::string> words = words_of_command(command);
  for (const std::string& word : words)
    if (word.ends_with(".py")) return std::filesystem::path(word).stem().string();
  std::string first = words.empty() ? "" : std::filesystem::path(words.front()).filename().string();
  if (!runs_others(first)) return first;
  const auto module = std::find(words.begin(), words.end(), "-m");
  return module == words.end() || module + 1 == words.end() ? "" : *(module + 1);
}

bool are_alike(std::string_view a, std::string_view b) {
  const auto end = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
  const auto prefix = static_cast<std::size_t>(end - a.begin());
  return prefix >= kLeastPrefix &&
         (prefix == std::min(a.size(), b.size()) || 2 * prefix >= std::max(a.size(), b.size()));
}

}  // namespace stepscope::compare_parts
