// SPDX-License-Identifier: Apache-2.0
// Random integers that are the same with every compiler and library, and an order drawn from them.
// The generator is SplitMix64 (Steele, Lea, Flood 2014).
#pragma once

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace stepscope::llm {

inline std::uint64_t mixed_bits(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9;
  bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB;
  return bits ^ (bits >> 31);
}

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(mixed_bits(seed + 1)) {}

  std::uint64_t bits() { return mixed_bits(state_ += 0x9E3779B97F4A7C15); }
  double fraction() { return static_cast<double>(bits() >> 11) * 0x1p-53; }  // [0, 1)
  // Below `count`, which is far below 2^64: the remainder's bias does not matter.
  std::uint64_t below(std::uint64_t count) { return bits() % count; }

 private:
  std::uint64_t state_;
};

// 0 .. count - 1 in an order that the seed fixes.
inline std::vector<std::int64_t> shuffled(std::int64_t count, std::uint64_t seed) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  Random random(seed);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

}  // namespace stepscope::llm
