// SPDX-License-Identifier: Apache-2.0
#include "core/steps/periodicity/repeats.hpp"

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

// The occurrences of one gram: positions begin..end of the sorted grams.
struct Anchor {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  int evenness = 0;  // percent of the distances that are within kEvenSpacing of the median
  std::uint32_t size() const { return end - begin; }
};

int evenness_of(std::span<const Gram> occurrences, std::vector<std::uint32_t>& distances) {
  distances.clear();
  for (std::size_t i = 1; i < occurrences.size(); ++i) {
    distances.push_back(occurrences[i].second - occurrences[i - 1].second);
  }
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::nth_element(distances.begin(), middle, distances.end());
  const double usual = *middle;
  const auto even = std::count_if(distances.begin(), distances.end(), [usual](std::uint32_t d) {
    return std::abs(static_cast<double>(d) - usual) <= kEvenSpacing * usual;
  });
  return static_cast<int>(100 * even / static_cast<std::ptrdiff_t>(distances.size()));
}

struct Candidate {
  Anchor best;
  std::size_t anchors = 0;
};

// Collects candidates by number of occurrences.
std::map<std::uint32_t, Candidate> collect(const std::vector<Gram>& grams, std::size_t length) {
  std::map<std::uint32_t, Candidate> candidates;
  std::vector<std::uint32_t> distances;
  for (std::uint32_t begin = 0; begin < grams.size();) {
    std::uint32_t end = begin + 1;
    while (end < grams.size() && grams[end].first == grams[begin].first) ++end;
    Anchor anchor{begin, end, 0};
    begin = end;
    const double span = grams[end - 1].second - grams[anchor.begin].second;
    const double unit = span / std::max(1U, anchor.size() - 1);
    if (anchor.size() < kFewestRepeats || span + unit < kLeastSpan * static_cast<double>(length))
      continue;
    anchor.evenness = evenness_of({grams.data() + anchor.begin, anchor.size()}, distances);
    if (anchor.evenness < kLeastEven) continue;
    Candidate& candidate = candidates[anchor.size()];
    ++candidate.anchors;
    const bool first = candidate.anchors == 1;
    const bool more_even = anchor.evenness > candidate.best.evenness;
    const bool earlier = anchor.evenness == candidate.best.evenness &&
                         grams[anchor.begin].second < grams[candidate.best.begin].second;
    if (first || more_even || earlier) candidate.best = anchor;
  }
  return candidates;
}

std::vector<Candidate> strongest(const std::map<std::uint32_t, Candidate>& by_count) {
  std::vector<Candidate> out;
  for (const auto& [count, candidate] : by_count) out.push_back(candidate);
  std::stable_sort(out.begin(), out.end(),
                   [](const Candidate& a, const Candidate& b) { return a.anchors > b.anchors; });
  if (out.size() > kMostSets) out.resize(kMostSets);
  return out;
}

}  // namespace

std::vector<AnchorSet> find_anchors(std::span<const std::uint32_t> tokens) {
  const std::vector<Gram> grams = sorted_grams(tokens);
  std::vector<AnchorSet> sets;
  for (const Candidate& candidate : strongest(collect(grams, tokens.size()))) {
    AnchorSet& set = sets.emplace_back();
    set.anchors = candidate.anchors;
    for (std::uint32_t i = candidate.best.begin; i < candidate.best.end; ++i) {
      set.begins.push_back(grams[i].second);
    }
  }
  return sets;
}

}  // namespace stepscope
