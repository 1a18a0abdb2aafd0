// SPDX-License-Identifier: Apache-2.0
#include "core/steps/periodicity/repeats.hpp"
#include "core/steps/shares.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace stepscope {
namespace {

constexpr std::size_t kGram = 4;
constexpr double kEvenSpacing = 0.1;
constexpr double kLeastSpan = 0.6;  // share of the sequence from the first to the last occurrence
constexpr int kLeastEven = 40;      // percent

using Tokens = std::span<const std::uint32_t>;
using Gram = std::pair<std::uint64_t, std::uint32_t>;  // hash, position

std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 33U;
  x *= 0xff51afd7ed558ccdULL;
  x ^= x >> 29U;
  return x;
}

std::vector<Gram> sorted_grams(Tokens tokens) {
  std::vector<Gram> grams;
  if (tokens.size() < kGram) return grams;
  grams.reserve(tokens.size());
  for (std::uint32_t i = 0; i + kGram <= tokens.size(); ++i) {
    std::uint64_t hash = 0;
    for (std::size_t j = 0; j < kGram; ++j) {
      hash = mix(hash * 0x9e3779b97f4a7c15ULL + tokens[i + j] + 1);
    }
    grams.emplace_back(hash, i);
  }
  std::sort(grams.begin(), grams.end());
  return grams;
}

// Returns percent of the distances that are within kEvenSpacing of the median.
int evenness_of(const std::vector<std::uint32_t>& positions) {
  std::vector<std::uint32_t> distances;
  for (std::size_t i = 1; i < positions.size(); ++i)
    distances.push_back(positions[i] - positions[i - 1]);
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::nth_element(distances.begin(), middle, distances.end());
  const double usual = *middle;
  const auto even = std::count_if(distances.begin(), distances.end(), [usual](std::uint32_t d) {
    return std::abs(static_cast<double>(d) - usual) <= kEvenSpacing * usual;
  });
  return static_cast<int>(100 * even / std::ssize(distances));
}

bool spans(const std::vector<std::uint32_t>& positions, std::size_t length) {
  const double span = positions.back() - positions.front();
  const double unit = span / static_cast<double>(positions.size() - 1);
  return is_at_least(kLeastSpan, span + unit, length);
}

void take(AnchorSet& set, std::vector<std::uint32_t> positions, int evenness) {
  const bool is_better = set.anchors++ == 0 || evenness > set.evenness ||
                         (evenness == set.evenness && positions.front() < set.begins.front());
  if (!is_better) return;
  set.begins = std::move(positions);
  set.evenness = evenness;
}

}  // namespace

std::vector<AnchorSet> find_anchors(std::span<const std::uint32_t> tokens) {
  const std::vector<Gram> grams = sorted_grams(tokens);
  std::map<std::size_t, AnchorSet> by_count;
  std::vector<std::uint32_t> positions;
  for (std::size_t i = 0; i < grams.size(); ++i) {
    positions.push_back(grams[i].second);
    if (i + 1 < grams.size() && grams[i + 1].first == grams[i].first) continue;
    if (positions.size() >= kFewestRepeats && spans(positions, tokens.size())) {
      const int evenness = evenness_of(positions);
      if (evenness >= kLeastEven) take(by_count[positions.size()], positions, evenness);
    }
    positions.clear();
  }
  std::vector<AnchorSet> sets;
  for (auto& [count, set] : by_count) sets.push_back(std::move(set));
  std::stable_sort(sets.begin(), sets.end(),
                   [](const AnchorSet& a, const AnchorSet& b) { return a.anchors > b.anchors; });
  if (sets.size() > kMany) sets.resize(kMany);
  return sets;
}

}  // namespace stepscope
