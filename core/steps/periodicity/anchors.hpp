// SPDX-License-Identifier: Apache-2.0
// Runs of kGram tokens that recur at even distances over most of a sequence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace stepscope {

inline constexpr std::size_t kFewestRepeats = 3;

struct AnchorSet {
  std::vector<std::uint32_t> begins;  // where the best one recurs: the most even, then the earliest
  std::size_t anchors = 0;            // how many recur this often
};

// One set for each number of recurrences, those with the most anchors first, at most kMostSets.
inline constexpr std::size_t kMostSets = 24;
std::vector<AnchorSet> find_anchors(std::span<const std::uint32_t> tokens);

}  // namespace stepscope
