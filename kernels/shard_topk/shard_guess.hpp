// SPDX-License-Identifier: Apache-2.0
// Bins of equal width on which host and device agree, about the least selected key of the selection
// before. With them, shards find the new one in one exchange of counts and one of a few finalists.
//
//   bin 0 | bins 1 .. kShardBins - 2, of 2^bin_bits keys each, from `low` on | the last bin: above
#pragma once

#include <cstdint>

#include "kernels/common/host_device.hpp"
#include "kernels/common/radix_digit.hpp"
#include "kernels/shard_topk/shard_steps.hpp"

namespace stepscope::kernels {

// The most entries of one bin, of all shards together, that are published one by one.
constexpr std::int64_t kShardFinalists = 1024;

constexpr std::uint32_t kBinBelow = 0;
constexpr std::uint32_t kBinAbove = kShardBins - 1;
constexpr int kWidestBinBits = 12;  // all bins together: an octave

// The same on every shard. Zeros: nothing is known.
struct ShardGuess {
  std::uint32_t low = 0;       // ordered key, as float
  std::uint32_t narrower = 0;  // by so many bits, kWidestBinBits at most
};

STEPSCOPE_HOST_DEVICE constexpr int bin_bits(const ShardGuess& guess) {
  return kWidestBinBits - static_cast<int>(guess.narrower);
}

STEPSCOPE_HOST_DEVICE constexpr std::uint32_t bin_of(const ShardGuess& guess, std::uint32_t key) {
  if (key < guess.low) return kBinBelow;
  const std::uint32_t bin = (key - guess.low) >> bin_bits(guess);
  return bin < kBinAbove - 1 ? bin + 1 : kBinAbove;
}

// Returns the first key of a bin between the first and the last.
STEPSCOPE_HOST_DEVICE constexpr std::uint32_t first_key_of(const ShardGuess& guess,
                                                           std::uint32_t bin) {
  return guess.low + ((bin - 1) << bin_bits(guess));
}

STEPSCOPE_HOST_DEVICE constexpr std::uint32_t keys_below_middle(std::uint32_t narrower) {
  return (kShardBins / 2 - 1) << bin_bits({0, narrower});
}

// Bins of that width with the key in the middle.
STEPSCOPE_HOST_DEVICE constexpr ShardGuess guess_about(std::uint32_t key, std::uint32_t narrower) {
  const std::uint32_t half = keys_below_middle(narrower);
  return {key > half ? key - half : 0, narrower};
}
STEPSCOPE_HOST_DEVICE constexpr std::uint32_t middle_of(const ShardGuess& guess) {
  return guess.low + keys_below_middle(guess.narrower);
}

// The choice that follows from all shards' counts.
struct ShardChoice {
  std::int32_t bin = 0;  // entries of greater bins are selected, of lesser ones not; -1: all are
  std::uint32_t decided = 0;  // whether the bin's entries are few enough to be published one by one
  std::int64_t wanted = 0;    // how many of them are selected
  std::int64_t entries = 0;   // how many there are
};

STEPSCOPE_HOST_DEVICE constexpr ShardChoice all_of_shards() {
  return {-1, 1, 0, 0};
}

STEPSCOPE_HOST_DEVICE constexpr ShardChoice choice_of(const ChosenBin& chosen,
                                                      std::int64_t entries) {
  const bool between = chosen.bin != kBinBelow && chosen.bin != kBinAbove;
  return {static_cast<std::int32_t>(chosen.bin), between && entries <= kShardFinalists ? 1U : 0U,
          chosen.wanted, entries};
}

// Returns the guess for the next selection: so wide that a bin has some finalists, not many.
STEPSCOPE_HOST_DEVICE constexpr ShardGuess next_guess(const ShardGuess& guess,
                                                      const ShardChoice& choice) {
  if (choice.bin < 0) return guess;
  const auto bin = static_cast<std::uint32_t>(choice.bin);
  const bool missed = bin == kBinBelow || bin == kBinAbove;
  std::int32_t narrower = static_cast<std::int32_t>(guess.narrower);
  if (missed || choice.entries < kShardFinalists / 32)
    --narrower;
  else if (choice.entries > kShardFinalists)
    narrower += 2;
  else if (choice.entries > kShardFinalists / 4)
    ++narrower;
  narrower = narrower < 0 ? 0 : narrower > kWidestBinBits ? kWidestBinBits : narrower;
  if (missed) return {guess.low, static_cast<std::uint32_t>(narrower)};
  return guess_about(first_key_of(guess, bin), static_cast<std::uint32_t>(narrower));
}

// A finalist as the shards publish it: greater ones come first; equal ones go by shard, and in a
// shard by place. Its bin's first key is `first`.
STEPSCOPE_HOST_DEVICE constexpr std::int64_t finalist_code(std::uint32_t key, std::uint32_t first,
                                                           std::int64_t group) {
  return (std::int64_t{key - first} << 32) | (std::int64_t{0xffffffff} - group);
}

}  // namespace stepscope::kernels
