// SPDX-License-Identifier: Apache-2.0
// A small generator whose numbers are the same on every platform (the standard distributions are
// not).
#pragma once

#include <cstdint>

namespace stepscope::simulator {

class Random {
 public:
  explicit Random(std::uint64_t seed)
      : state_(seed * 0x9e3779b97f4a7c15ULL + 0x853c49e6748fea9bULL) {
    for (int i = 0; i < 4; ++i) next();
  }

  double unit() { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }  // [0, 1)
  bool chance(double probability) { return unit() < probability; }
  std::int64_t between(std::int64_t low, std::int64_t high) {  // both included
    return low + static_cast<std::int64_t>(unit() * static_cast<double>(high - low + 1));
  }
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(between(0, n - 1)); }
  // Uniform with the given standard deviation around 0.
  double deviation(double sigma) { return (unit() - 0.5) * 3.4641016151377544 * sigma; }

 private:
  std::uint64_t next() {  // xorshift64*
    state_ ^= state_ >> 12U;
    state_ ^= state_ << 25U;
    state_ ^= state_ >> 27U;
    return state_ * 0x2545f4914f6cdd1dULL;
  }
  std::uint64_t state_;
};

}  // namespace stepscope::simulator
