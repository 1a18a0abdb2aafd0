// SPDX-License-Identifier: Apache-2.0
// This finds the longest stretch of a sequence in which the same items come again and again: what a
// loop of the program issued.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

namespace stepscope::rules {

inline constexpr std::size_t kLongestPeriod = 256;  // items
// A stretch of a longer period must cover this much more: a shorter period may be a part of it.
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

// Returns the longest stretch whose period comes at least `times` times; one of length 0 where none is.
template <class Item>
Repeats longest_repeats(std::span<const Item> all, std::size_t times) {
  Repeats best;
  const std::size_t longest = std::min(kLongestPeriod, all.size() / times);
  for (std::size_t period = 1; period <= longest; ++period) {
    const Repeats found = longest_with(all, period);
    const auto more = static_cast<double>(found.length);
    if (found.times() >= times && more > kMoreOfTheSequence * static_cast<double>(best.length))
      best = found;
  }
  return best;
}

}  // namespace stepscope::rules
