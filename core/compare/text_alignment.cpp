// SPDX-License-Identifier: Apache-2.0
#include "core/compare/text_alignment.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "core/compare/alignment.hpp"

namespace stepscope::compare_parts {
namespace {

constexpr std::size_t kLargestTable = 64U << 20U;  // pairs of lines that are compared
constexpr double kNeighbour = 0.25;                // what an equal neighbour adds to a pair's score
constexpr std::uint32_t kNone = TextAlignment::kNoLine;

using Counts = std::unordered_map<std::uint32_t, std::size_t>;

Counts counts_of(const LineHashes& hashes) {
  Counts out;
  for (const std::uint32_t hash : hashes)
    if (hash != 0) ++out[hash];
  return out;
}

// Places of the lines whose text the other side has, too.
std::vector<std::uint32_t> shared_lines(const LineHashes& of, std::size_t begin, std::size_t end,
                                        const Counts& other) {
  std::vector<std::uint32_t> out;
  for (std::size_t i = begin; i < end; ++i)
    if (other.contains(of[i])) out.push_back(static_cast<std::uint32_t>(i));
  return out;
}

class Aligner {
 public:
  Aligner(const LineHashes& a, const LineHashes& b)
      : a_(a), b_(b), a_counts_(counts_of(a)), b_counts_(counts_of(b)) {
    pair_.assign(a.size(), kNone);
    taken_.assign(b.size(), false);
  }

  TextAlignment run() && {
    pair_in_order();
    TextAlignment out{.in_order = pair_, .with_moves = {}};
    pair_moved();
    out.with_moves = std::move(pair_);
    return out;
  }

 private:
  void take(std::size_t i, std::size_t j) {
    if (a_[i] == 0) return;
    pair_[i] = static_cast<std::uint32_t>(j);
    taken_[j] = true;
  }

  // Equal beginnings and ends need no table.
  void pair_in_order() {
    std::size_t begin = 0, a_end = a_.size(), b_end = b_.size();
    for (; begin < std::min(a_end, b_end) && a_[begin] == b_[begin]; ++begin) take(begin, begin);
    for (; std::min(a_end, b_end) > begin && a_[a_end - 1] == b_[b_end - 1]; --a_end, --b_end)
      take(a_end - 1, b_end - 1);
    const auto of_a = shared_lines(a_, begin, a_end, b_counts_);
    const auto of_b = shared_lines(b_, begin, b_end, a_counts_);
    if (of_a.size() * of_b.size() > kLargestTable) return;
    const auto score = [&](std::size_t i, std::size_t j) { return score_of(of_a[i], of_b[j]); };
    for (const auto& [i, j] : align(of_a.size(), of_b.size(), score)) take(of_a[i], of_b[j]);
  }

  double score_of(std::size_t i, std::size_t j) const {
    if (a_[i] != b_[j]) return 0;
    const double rarity = 1 / std::sqrt(static_cast<double>(a_counts_.at(a_[i])) *
                                        static_cast<double>(b_counts_.at(b_[j])));
    const bool before = i > 0 && j > 0 && a_[i - 1] == b_[j - 1];
    const bool behind = i + 1 < a_.size() && j + 1 < b_.size() && a_[i + 1] == b_[j + 1];
    return rarity * (1 + kNeighbour * (before ? 1 : 0) + kNeighbour * (behind ? 1 : 0));
  }

  bool is_free_pair(std::size_t i, std::size_t j) const {
    return a_[i] == b_[j] && a_[i] != 0 && pair_[i] == kNone && !taken_[j];
  }

  // A block that moved as a whole may hold lines of which there are several.
  void extend(std::size_t i, std::size_t j) {
    for (std::size_t n = 1; n <= std::min(i, j) && is_free_pair(i - n, j - n); ++n)
      take(i - n, j - n);
    for (std::size_t n = 1; i + n < a_.size() && j + n < b_.size() && is_free_pair(i + n, j + n);
         ++n)
      take(i + n, j + n);
  }

  void pair_moved() {
    struct Left {
      std::size_t in_a = 0, in_b = 0, a = 0, b = 0;  // how many, and where the last one is
    };
    std::unordered_map<std::uint32_t, Left> left;
    for (std::size_t i = 0; i < a_.size(); ++i)
      if (a_[i] != 0 && pair_[i] == kNone) ++left[a_[i]].in_a, left[a_[i]].a = i;
    for (std::size_t j = 0; j < b_.size(); ++j)
      if (b_[j] != 0 && !taken_[j]) ++left[b_[j]].in_b, left[b_[j]].b = j;
    std::vector<std::pair<std::size_t, std::size_t>> moved;
    for (const auto& [hash, at] : left)
      if (at.in_a == 1 && at.in_b == 1) moved.emplace_back(at.a, at.b);
    for (const auto& [i, j] : moved) take(i, j);
    std::sort(moved.begin(), moved.end());
    for (const auto& [i, j] : moved) extend(i, j);
  }

  const LineHashes& a_;
  const LineHashes& b_;
  Counts a_counts_, b_counts_;
  std::vector<std::uint32_t> pair_;
  std::vector<bool> taken_;
};

}  // namespace

TextAlignment align_texts(const LineHashes& a, const LineHashes& b) {
  return Aligner(a, b).run();
}

double text_in_common(const LineHashes& a, const LineHashes& b) {
  const Counts of_a = counts_of(a), of_b = counts_of(b);
  std::size_t common = 0, all = 0;
  for (const auto& [hash, count] : of_a) {
    const auto other = of_b.find(hash);
    if (other != of_b.end()) common += std::min(count, other->second);
    all += count;
  }
  for (const auto& [hash, count] : of_b) all += count;
  return all == 0 ? 0 : 2 * static_cast<double>(common) / static_cast<double>(all);
}

}  // namespace stepscope::compare_parts
