// SPDX-License-Identifier: Apache-2.0
#include "core/steps/periodicity/repeats.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/model/ids.hpp"
#include "core/steps/shares.hpp"

namespace stepscope {
namespace {

using Tokens = std::span<const std::uint32_t>;
std::uint32_t end_of_unit(const RepeatLevel& level, std::size_t unit, std::size_t length) {
  if (unit + 1 < level.begins.size()) return level.begins[unit + 1];
  return static_cast<std::uint32_t>(std::min(length, level.begins[unit] + level.typical_length));
}

// Counts of each token in each unit in which it occurs: (token, count) pairs of all units.
std::vector<std::pair<std::uint32_t, std::uint32_t>> counts_by_unit(Tokens tokens,
                                                                    const RepeatLevel& level,
                                                                    std::uint32_t vocabulary) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> counts;
  std::vector<std::uint32_t> count(vocabulary, 0);
  std::vector<std::uint32_t> seen;
  for (std::size_t unit = 0; unit < level.begins.size(); ++unit) {
    for (std::uint32_t i = level.begins[unit]; i < end_of_unit(level, unit, tokens.size()); ++i) {
      if (count[tokens[i]]++ == 0) seen.push_back(tokens[i]);
    }
    for (std::uint32_t token : seen) counts.emplace_back(token, std::exchange(count[token], 0));
    seen.clear();
  }
  return counts;
}

// Sum over units and tokens of min(count, typical count), where the typical count is the median
// over all units, those without the token among them.
double explained_by(Tokens tokens, const RepeatLevel& level, std::uint32_t vocabulary) {
  auto counts = counts_by_unit(tokens, level, vocabulary);
  std::sort(counts.begin(), counts.end());
  const std::size_t units = level.begins.size();
  std::uint64_t explained = 0;
  for (std::size_t begin = 0; begin < counts.size();) {
    std::size_t end = begin;
    while (end < counts.size() && counts[end].first == counts[begin].first) ++end;
    const std::size_t absent = units - (end - begin);
    const std::size_t middle = units / 2;
    const std::uint32_t typical = middle < absent ? 0 : counts[begin + middle - absent].second;
    for (std::size_t i = begin; i < end; ++i) explained += std::min(counts[i].second, typical);
    begin = end;
  }
  return static_cast<double>(explained) / static_cast<double>(tokens.size());
}

std::size_t median_distance(const std::vector<std::uint32_t>& begins) {
  std::vector<std::uint32_t> lengths;
  for (std::size_t i = 1; i < begins.size(); ++i) lengths.push_back(begins[i] - begins[i - 1]);
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  return *middle;
}

// A piece of less than half a unit is no unit: one of the anchors at its ends is there by chance.
// The one goes whose loss leaves a neighbour that is closer to a whole unit; at the head the first.
std::vector<std::uint32_t> without_pieces(const std::vector<std::uint32_t>& begins) {
  const auto unit = static_cast<std::int64_t>(median_distance(begins));
  const auto error = [unit](std::int64_t length) { return std::abs(length - unit); };
  std::vector<std::uint32_t> out{begins.front()};
  for (std::size_t i = 1; i < begins.size(); ++i) {
    const std::int64_t piece = std::int64_t{begins[i]} - out.back();
    if (2 * piece >= unit) {
      out.push_back(begins[i]);
      continue;
    }
    const bool head = out.size() == 1;
    const bool tail = i + 1 == begins.size();
    const std::int64_t with_last = head ? 0 : std::int64_t{begins[i]} - out[out.size() - 2];
    const std::int64_t with_next = tail ? 0 : std::int64_t{begins[i + 1]} - out.back();
    if (head || error(with_last) < error(with_next)) out.back() = begins[i];
  }
  return out;
}

// The token that stands `back` places in front of a unit, where that is inside the unit before it.
std::uint32_t token_before(Tokens tokens, const std::vector<std::uint32_t>& begins,
                           std::size_t unit, std::uint32_t back) {
  const std::uint32_t floor = unit == 0 ? 0 : begins[unit - 1];
  return begins[unit] >= floor + back ? tokens[begins[unit] - back] : kNone;
}

// Anchors stand where a gram is unique within the unit. Units begin as much earlier as they still
// agree, the first of them too: so a trace that starts with an iteration gives whole iterations.
void move_to_start(Tokens tokens, std::vector<std::uint32_t>& begins) {
  std::uint32_t shift = 0;
  while (shift < begins.front()) {
    const std::uint32_t token = token_before(tokens, begins, 0, shift + 1);
    std::size_t agree = 0;
    for (std::size_t unit = 1; unit < begins.size(); ++unit) {
      agree += token_before(tokens, begins, unit, shift + 1) == token ? 1U : 0U;
    }
    if (!is_at_least(kMost, agree, begins.size() - 1)) break;
    ++shift;
  }
  for (std::uint32_t& begin : begins) begin -= shift;
}

// A trace that ends within a unit may lack its anchor: what follows the last whole unit is the
// beginning of another where it is that of the first one.
void add_cut_unit(Tokens tokens, RepeatLevel& level) {
  const std::size_t past = level.begins.back() + level.typical_length;
  if (past >= tokens.size() || 2 * (tokens.size() - past) < level.typical_length) return;
  const Tokens rest = tokens.subspan(past, std::min(tokens.size() - past, level.typical_length));
  const Tokens first = tokens.subspan(level.begins.front(), rest.size());
  const bool same = std::equal(rest.begin(), rest.end(), first.begin());
  if (same) level.begins.push_back(static_cast<std::uint32_t>(past));
}

RepeatLevel level_of(Tokens tokens, const AnchorSet& set, std::uint32_t vocabulary) {
  RepeatLevel level{.begins = without_pieces(set.begins), .anchors = set.anchors};
  if (level.begins.size() < 2) return level;
  move_to_start(tokens, level.begins);
  level.typical_length = median_distance(level.begins);
  add_cut_unit(tokens, level);
  level.explained = explained_by(tokens, level, vocabulary);
  return level;
}

// The last unit counts where at least half of it is there.
bool repeats_enough(const RepeatLevel& level, std::size_t length) {
  if (level.begins.size() < 2) return false;
  const bool tail = 2 * (length - level.begins.back()) >= level.typical_length;
  return level.begins.size() - (tail ? 0 : 1) >= kFewestRepeats;
}

// The piece behind the last whole unit goes with it.
double share_of_units_with(std::size_t length, const RepeatLevel& level, const Evidence& evidence) {
  std::size_t units = 0;
  for (std::size_t unit = 0; unit < level.begins.size(); ++unit) {
    const bool last = unit + 1 == level.begins.size();
    const std::size_t end = last ? length : level.begins[unit + 1];
    unsigned held = 0;
    for (std::size_t i = level.begins[unit]; i < end; ++i) held |= evidence.at[i];
    units += (held & evidence.required) == evidence.required ? 1U : 0U;
  }
  return static_cast<double>(units) / static_cast<double>(level.begins.size());
}

bool same_count(const RepeatLevel& a, const RepeatLevel& b) {
  const std::size_t few = std::min(a.begins.size(), b.begins.size());
  const std::size_t many = std::max(a.begins.size(), b.begins.size());
  return many - few <= std::max<std::size_t>(1, few / 10);
}

bool is_better(const RepeatLevel& a, const RepeatLevel& b) {
  if (std::abs(a.evident - b.evident) > 0.01) return a.evident > b.evident;
  if (std::abs(a.explained - b.explained) > 0.05) return a.explained > b.explained;
  return a.anchors > b.anchors;
}

}  // namespace

std::vector<RepeatLevel> find_levels(std::span<const std::uint32_t> tokens,
                                     const Evidence& evidence) {
  std::vector<RepeatLevel> levels;
  if (tokens.size() < kFewestRepeats) return levels;
  const std::uint32_t vocabulary = 1 + *std::max_element(tokens.begin(), tokens.end());
  for (const AnchorSet& set : find_anchors(tokens)) {
    RepeatLevel level = level_of(tokens, set, vocabulary);
    if (!repeats_enough(level, tokens.size())) continue;
    if (evidence.required != 0) level.evident = share_of_units_with(tokens.size(), level, evidence);
    levels.push_back(std::move(level));
  }
  std::stable_sort(levels.begin(), levels.end(), [](const RepeatLevel& a, const RepeatLevel& b) {
    return a.begins.size() > b.begins.size();
  });
  std::vector<RepeatLevel> out;
  for (RepeatLevel& level : levels) {
    if (!out.empty() && same_count(out.back(), level)) {
      if (is_better(level, out.back())) out.back() = std::move(level);
    } else {
      out.push_back(std::move(level));
    }
  }
  return out;
}

}  // namespace stepscope
