// SPDX-License-Identifier: Apache-2.0
// Digits by which shards find the least selected key together, on which host and device agree, and
// their state between two rounds.
#pragma once

#include <cstdint>

#include "kernels/common/host_device.hpp"
#include "kernels/common/nan_policy.hpp"
#include "kernels/common/ordered_key.hpp"
#include "kernels/common/radix_digit.hpp"

namespace stepscope::kernels {

// Keys of all types are ranked as floats, whose order is theirs.
constexpr int kShardRounds = 3;
constexpr std::uint32_t kShardBins = 1U << 11;

STEPSCOPE_HOST_DEVICE constexpr Digit shard_digit(int round) {
  return round == 0 ? Digit{21, 11} : round == 1 ? Digit{10, 11} : Digit{0, 10};
}

// The same on every shard.
struct ShardTopkState {
  std::uint32_t least = 0;  // ordered key: the least selected one, in the digits of rounds made
  // Number of selected entries of the whole matrix: its count, or all that the policies leave.
  std::int64_t selected = 0;
  std::int64_t wanted = 0;  // how many of those that begin with these digits are selected
};

// Returns the state in which nothing is selected: no key is greater, and none of its equals is
// wanted.
STEPSCOPE_HOST_DEVICE constexpr ShardTopkState select_none_of_shards() {
  return {0xffffffffU, 0, 0};
}

// Advances the state after a round; `chosen` is chosen from the counts of all shards. Nothing
// changes where nothing is selected.
STEPSCOPE_HOST_DEVICE constexpr void advance(ShardTopkState& state, int round, ChosenBin chosen) {
  state.least |= chosen.bin << shard_digit(round).shift;
  state.wanted = chosen.wanted;
}

// Returns how many of `equal` entries are selected where `before` come before them.
STEPSCOPE_HOST_DEVICE constexpr std::int64_t selected_equals(const ShardTopkState& state,
                                                             std::int64_t before,
                                                             std::int64_t equal) {
  const std::int64_t left = state.wanted - before;
  return left < 0 ? 0 : left < equal ? left : equal;
}

// The least ordered key that the policies let be selected.
STEPSCOPE_HOST_DEVICE constexpr std::uint32_t shard_floor(bool positives_only) {
  return positives_only ? kLeastPositiveKey<float> : kLeastNumberKey;
}

STEPSCOPE_HOST_DEVICE constexpr NanRank shard_nan_rank(NanPolicy nan) {
  return nan == NanPolicy::select ? NanRank::first : NanRank::last;
}

}  // namespace stepscope::kernels
