// SPDX-License-Identifier: Apache-2.0
// The bracket on which host and device agree: keys about the least selected key of the selection
// before. Each shard publishes its candidates in the bracket one by one; the outcome is below.
//
//   not selected | low .. centre .. high: candidates | selected
#pragma once

#include <cstdint>

#include "kernels/batch_topk/batch_topk.hpp"
#include "kernels/batch_topk/candidate.hpp"
#include "kernels/common/host_device.hpp"
#include "kernels/shard_topk/shard_guess.hpp"

namespace stepscope::kernels {

// The most candidates that one shard can publish.
constexpr std::int64_t kShardCandidates = 8192;
constexpr std::int64_t kMostShards = 64;

// Keys on either side of the centre. The most leaves a candidate's code its 64 bits.
constexpr std::uint32_t kLeastSide = 64;
constexpr std::uint32_t kFirstSide = 1U << 18;
constexpr std::uint32_t kMostSide = 1U << 29;

// The same on every shard. Zeros: nothing is known.
struct ShardBracket {
  BatchTopkWarmStart keys;  // ordered, as float
  std::uint32_t centre = 0;
  std::uint32_t below = 0, above = 0;
};

STEPSCOPE_HOST_DEVICE constexpr bool is_known(const ShardBracket& bracket) {
  return bracket.below > 0;
}

STEPSCOPE_HOST_DEVICE constexpr std::uint32_t side_of(std::int64_t keys) {
  return keys < kLeastSide  ? kLeastSide
         : keys > kMostSide ? kMostSide
                            : static_cast<std::uint32_t>(keys);
}

STEPSCOPE_HOST_DEVICE constexpr ShardBracket bracket_about(std::uint32_t centre, std::int64_t below,
                                                           std::int64_t above) {
  const std::uint32_t under = side_of(below), over = side_of(above);
  const std::uint32_t low = centre > under ? centre - under : 0;
  const std::uint32_t high = centre < 0xffffffffU - over ? centre + over : 0xffffffffU;
  return {{low, high}, centre, under, over};
}

// About the key that others found, as wide as before.
STEPSCOPE_HOST_DEVICE constexpr ShardBracket moved_to(const ShardBracket& bracket,
                                                      const ShardGuess& found) {
  if (found.low == 0) return bracket;
  if (!is_known(bracket)) return bracket_about(middle_of(found), kFirstSide, kFirstSide);
  return bracket_about(middle_of(found), bracket.below, bracket.above);
}

// Returns the bracket's keys that the policies allow to be selected.
STEPSCOPE_HOST_DEVICE constexpr BatchTopkWarmStart swept_keys(const ShardBracket& bracket,
                                                              std::uint32_t floor) {
  const std::uint32_t low = bracket.keys.low > floor ? bracket.keys.low : floor;
  return {low, bracket.keys.high > low ? bracket.keys.high : low};
}

// Returns the shift with which kShardBins bins of candidates hold the bracket: key - low without so
// many lower bits.
STEPSCOPE_HOST_DEVICE constexpr int bin_shift(const BatchTopkWarmStart& swept) {
  const int bits = bit_width_of(swept.high - swept.low);
  const int bin_bits = bit_width_of(kShardBins - 1);
  return bits > bin_bits ? bits - bin_bits : 0;
}

STEPSCOPE_HOST_DEVICE constexpr std::uint32_t offset_of(std::int64_t finalist_code) {
  return static_cast<std::uint32_t>(finalist_code >> 32);
}

// The sums of the shards' numbers. A shard with more candidates than it can publish gives minus how
// many there are.
struct SweepSums {
  std::int64_t above = 0, candidates = 0;
  bool complete = true;  // every shard has published all of its candidates

  STEPSCOPE_HOST_DEVICE constexpr void add(std::int64_t own_above, std::int64_t own_candidates) {
    above += own_above;
    candidates += own_candidates < 0 ? -own_candidates : own_candidates;
    complete = complete && own_candidates >= 0;
  }
};

enum class SweepVerdict : std::uint32_t {
  decided,
  few,   // the bracket does not hold the least selected key
  many,  // more candidates than a shard can publish, or than can be ranked one by one
};

struct SweepChoice {
  SweepVerdict verdict = SweepVerdict::few;
  std::int64_t wanted = 0;  // how many of the candidates are selected
};

// all_swept: no key below the bracket may be selected.
STEPSCOPE_HOST_DEVICE constexpr SweepChoice sweep_choice(const SweepSums& sums, std::int64_t count,
                                                         bool all_swept) {
  if (!sums.complete) return {SweepVerdict::many, 0};
  const std::int64_t wanted = (count > 0 ? count : 0) - sums.above;
  if (wanted >= 0 && wanted <= sums.candidates) return {SweepVerdict::decided, wanted};
  if (wanted > 0 && all_swept) return {SweepVerdict::decided, sums.candidates};
  return {SweepVerdict::few, 0};
}

// Returns how many candidates shall lie on either side of the next least selected key: as many as
// it moves by, and as all shards together can well publish.
STEPSCOPE_HOST_DEVICE constexpr std::int64_t wished_candidates(std::int64_t count,
                                                               std::int64_t shards) {
  const std::int64_t moves = count / 20 > 32 ? count / 20 : 32;
  const std::int64_t most = shards * kShardCandidates / 3;
  return moves < most ? moves : most;
}

// A side so wide that it holds as many as wished if `keys` keys hold `candidates`, within a factor
// of two.
STEPSCOPE_HOST_DEVICE constexpr std::int64_t next_side(std::int64_t side, std::int64_t keys,
                                                       std::int64_t candidates,
                                                       std::int64_t wished) {
  const std::int64_t even = candidates > 0 ? keys * wished / candidates : 2 * side;
  return even < side / 2 ? side / 2 : even > 2 * side ? 2 * side : even;
}

// The same where both sides together held too many.
STEPSCOPE_HOST_DEVICE constexpr std::int64_t lesser_side(std::int64_t side, std::int64_t keys,
                                                         std::int64_t candidates,
                                                         std::int64_t wished) {
  const std::int64_t even = keys * wished / candidates;
  return even < side / 2 ? even : side / 2;
}

struct SweepFound {
  SweepChoice choice;
  std::int64_t candidates = 0;
  std::uint32_t least = 0;  // selected key, where the verdict is decided and a candidate is wanted
};

STEPSCOPE_HOST_DEVICE constexpr bool finds_least(const SweepFound& found) {
  return found.choice.verdict == SweepVerdict::decided && found.choice.wanted > 0;
}

// Returns the bracket for the next selection; `shards` shards select `count`.
STEPSCOPE_HOST_DEVICE constexpr ShardBracket next_bracket(const ShardBracket& bracket,
                                                          const BatchTopkWarmStart& swept,
                                                          const SweepFound& found,
                                                          std::int64_t count, std::int64_t shards) {
  if (!is_known(bracket)) return bracket;
  const std::int64_t below = bracket.below, above = bracket.above, all = found.candidates;
  const std::int64_t wished = wished_candidates(count, shards);
  if (found.choice.verdict == SweepVerdict::few)
    return bracket_about(bracket.centre, 2 * below, 2 * above);
  if (found.choice.verdict == SweepVerdict::many) {
    const std::int64_t keys = std::int64_t{swept.high} - swept.low + 1;
    return bracket_about(bracket.centre, lesser_side(below, keys, all, wished),
                         lesser_side(above, keys, all, wished));
  }
  if (!finds_least(found)) return bracket;
  const std::int64_t selected = found.choice.wanted;
  return bracket_about(
      found.least, next_side(below, std::int64_t{found.least} - swept.low, all - selected, wished),
      next_side(above, std::int64_t{swept.high} - found.least, selected,
                wished < count ? wished : count));
}

}  // namespace stepscope::kernels
