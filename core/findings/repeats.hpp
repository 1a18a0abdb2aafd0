// SPDX-License-Identifier: Apache-2.0
// This finds the longest stretches of a sequence in which the same items come again and again: what a
// loop of the program issued.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace stepscope::rules {

inline constexpr std::size_t kLongestPeriod = 256;  // items
// Stretches of a longer period must cover this much more: a shorter period may be a part of it.
inline constexpr double kMoreOfTheSequence = 1.1;

struct Repeats {
  std::size_t begin = 0, length = 0, period = 1;

  std::size_t times() const { return length / period; }
};

// Returns the longest stretch in which each item is the one `period` items before it.
template <class Item>
Repeats longest_with(std::span<const Item> all, std::size_t period) {
  Repeats best{.period = period};
  std::size_t begin = 0;
  for (std::size_t i = period; i <= all.size(); ++i) {
    if (i < all.size() && all[i].same_as(all[i - period])) continue;
    if (i - begin > best.length) best = {begin, i - begin, period};
    begin = i + 1 - period;
  }
  return best;
}

// Returns all stretches of the items of that one's period that come again and again as it does, at least
// `times` times each: a loop that an outer one runs anew.
template <class Item>
std::vector<Repeats> all_like(std::span<const Item> all, const Repeats& one, std::size_t times) {
  std::vector<Repeats> out;
  const auto period = all.subspan(one.begin, one.period);
  const auto is_of_it = [&](const Item& item) {
    return std::ranges::any_of(period, [&](const Item& own) { return item.same_as(own); });
  };
  std::size_t begin = 0;
  for (std::size_t i = one.period; i <= all.size(); ++i) {
    if (i < all.size() && all[i].same_as(all[i - one.period])) continue;
    const Repeats found{begin, i - begin, one.period};
    if (found.times() >= times && is_of_it(all[begin])) out.push_back(found);
    begin = i + 1 - one.period;
  }
  return out;
}

// Returns the longest stretch whose period comes at least `times` times, of the period whose stretches
// cover most; one of length 0 where none is.
template <class Item>
Repeats longest_repeats(std::span<const Item> all, std::size_t times) {
  Repeats best;
  std::size_t most = 0;
  const std::size_t longest = std::min(kLongestPeriod, all.size() / times);
  for (std::size_t period = 1; period <= longest; ++period) {
    const Repeats found = longest_with(all, period);
    if (found.times() < times) continue;
    std::size_t covered = 0;
    for (const Repeats& one : all_like(all, found, times)) covered += one.length;
    if (static_cast<double>(covered) <= kMoreOfTheSequence * static_cast<double>(most)) continue;
    most = covered;
    best = found;
  }
  return best;
}

}  // namespace stepscope::rules
