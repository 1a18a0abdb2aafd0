// SPDX-License-Identifier: Apache-2.0
#include "core/support/words.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace stepscope {
namespace {

bool is_plain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 128 || std::isalnum(byte) != 0 ||
         std::string_view("-._/:,@%+=").find(c) != std::string_view::npos;
}

constexpr std::size_t kLeastBeginning = 3;

std::string in_lower_case(std::string_view word) {
  std::string out(word);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

}  // namespace

std::string shell_word(std::string_view word) {
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return std::string(word);
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

namespace {

// Insertions, deletions, replacements and swaps of neighbours (optimal string alignment).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(above.begin(), above.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replace});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(above);
    above.swap(row);
  }
  return above.back();
}

}  // namespace

std::string_view nearest(std::string_view given, const std::vector<std::string_view>& candidates) {
  const std::string word = in_lower_case(given);
  std::string_view best;
  for (const std::string_view candidate : candidates)
    if (word.size() >= kLeastBeginning && in_lower_case(candidate).starts_with(word) &&
        (best.empty() || candidate.size() < best.size()))
      best = candidate;
  if (!best.empty()) return best;
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string_view candidate : candidates) {
    const std::size_t d = distance(word, in_lower_case(candidate));
    if (d >= least) continue;
    least = d;
    best = candidate;
  }
  return best;
}

bool ends_with_path(std::string_view path, std::string_view end) {
  if (!path.ends_with(end)) return false;
  return path.size() == end.size() || path[path.size() - end.size() - 1] == '/';
}

}  // namespace stepscope
