// SPDX-License-Identifier: Apache-2.0
// Repeats in a sequence of tokens, at every level of nesting: layers, steps, steps up to an
// evaluation.
//
// The units of a level are the stretches from one occurrence of its best anchor to
// the next, begun as much earlier as all units agree, less chance pieces of under half a unit.
// `explained` is the share of the whole sequence that the typical unit (the median count of each
// token) accounts for: insertions, lost pieces and other parts of the run lower it. Cost: n log n
// for the anchors, then n a level, kMany at most.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace stepscope {

// What an iteration holds once at least, as bits by position in the sequence; a unit is evident
// where it holds all that are required. None required: nothing is known.
struct Evidence {
  std::vector<std::uint8_t> at;
  std::uint8_t required = 0;
};

struct RepeatLevel {
  std::vector<std::uint32_t> begins;  // where the units begin, as positions in the sequence
  std::size_t typical_length = 0;     // tokens a unit (median)
  double explained = 0;               // 0..1 of the sequence
  double evident = 0;                 // 0..1 of the units hold evidence
  std::size_t anchors = 0;            // how many anchors agree on this number of repeats
};

// Returns the levels with at least kFewestRepeats units, the most repeats first. Among levels whose
// counts differ by one or a tenth only the best stays: evident in the most units, then explaining
// most, then with the most anchors.
std::vector<RepeatLevel> find_levels(std::span<const std::uint32_t> tokens,
                                     const Evidence& evidence = {});

// Runs of kGram tokens that recur at even distances over most of a sequence.

struct AnchorSet {
  std::vector<std::uint32_t> begins;  // where the best one recurs: the most even, then the earliest
  std::size_t anchors = 0;            // how many recur this often
  int evenness = 0;                   // the best one's, in percent of the distances
};

// One set for each number of recurrences, those with the most anchors first, at most kMany.
std::vector<AnchorSet> find_anchors(std::span<const std::uint32_t> tokens);

}  // namespace stepscope
