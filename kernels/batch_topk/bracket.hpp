// SPDX-License-Identifier: Apache-2.0
// The bracket with which a sweep compares keys, and the result of that comparison.
#pragma once

#include <cstdint>

#include "kernels/batch_topk/candidate.hpp"
#include "kernels/batch_topk/workspace.hpp"
#include "kernels/common/host_device.hpp"

namespace stepscope::kernels::batch_topk_device {

constexpr std::uint32_t kBins = BatchTopkWorkspace::kRadixBins;
constexpr int kBinBits = 11;
static_assert(kBins == 1U << kBinBits);

// Keys above `high` are selected, keys below `low` are not, those between are candidates; among
// these, codes above `last_code` are selected and codes below `first_code` are not.
struct Bracket {
  std::uint32_t low, high;
  std::uint64_t first_code, last_code;
  int digit_shift;  // a candidate's bin is (code - first_code) >> digit_shift
  bool encodable;   // else there are too many keys between low and high for a code
  bool all_places;  // first_code and last_code exclude nothing
};

STEPSCOPE_HOST_DEVICE constexpr Bracket bracket_of_keys(std::uint32_t low, std::uint32_t high,
                                                        int place_bits) {
  const int bits = bit_width_of(high - low) + place_bits;
  const std::uint64_t last = bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  return {low, high, 0, last, bits > kBinBits ? bits - kBinBits : 0, bits <= 64, bits <= 64};
}

// Nothing is above it, and nothing is a candidate.
STEPSCOPE_HOST_DEVICE constexpr Bracket bracket_of_none(int place_bits) {
  Bracket bracket = bracket_of_keys(~0U, ~0U, place_bits);
  bracket.encodable = false;
  return bracket;
}

// One key, and the places whose codes begin with a prefix.
STEPSCOPE_HOST_DEVICE constexpr Bracket bracket_of_places(std::uint32_t key, std::uint64_t prefix,
                                                          int bits_below) {
  const std::uint64_t last = prefix | ((std::uint64_t{1} << bits_below) - 1);
  return {key, key, prefix, last, bits_below > kBinBits ? bits_below - kBinBits : 0, true, false};
}

enum class Standing { below, candidate, above };

// Classifies a key that a quick comparison left unclear. plain: the quick comparison left unclear
// only numbers that are certainly candidates, and NaN, which rank first or last. code() computes
// the entry's code where it is needed.
template <class Code>
STEPSCOPE_HOST_DEVICE constexpr Standing standing_of(const Bracket& bracket, std::uint32_t key,
                                                     bool nan, bool plain, Code code) {
  const bool sure = plain && !nan;
  if (!sure && key < bracket.low) return Standing::below;
  if (!sure && key <= bracket.high && !bracket.encodable) return Standing::below;
  const std::uint64_t own = code();
  if (sure) return Standing::candidate;
  if (key > bracket.high || own > bracket.last_code) return Standing::above;
  return own >= bracket.first_code ? Standing::candidate : Standing::below;
}

}  // namespace stepscope::kernels::batch_topk_device
