// SPDX-License-Identifier: Apache-2.0
// The shares that "nearly all", "most" and "hardly any" stand for throughout the layer.
#pragma once

#include <cstddef>

namespace stepscope {

inline constexpr double kNearlyAll = 0.9;
inline constexpr double kMost = 0.8;
inline constexpr double kHardlyAny = 0.05;

template <class Part, class Whole>
bool is_at_least(double share, Part part, Whole whole) {
  return static_cast<double>(part) >= share * static_cast<double>(whole);
}

inline constexpr std::size_t kFewestRepeats = 3;  // fewer say nothing of a rhythm
inline constexpr std::size_t kMany = 16;          // more candidates than that are not looked at

}  // namespace stepscope
