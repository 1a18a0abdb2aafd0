// SPDX-License-Identifier: Apache-2.0
// Normally distributed bfloat16, and their values.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "kernels/common/float_bits.hpp"

namespace stepscope::kernels {

inline std::vector<Bfloat16> made_numbers(std::int64_t count, double deviation, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, deviation);
  std::vector<Bfloat16> out;
  for (std::int64_t i = 0; i < count; ++i)
    out.push_back(to_bfloat16(static_cast<float>(normal(random))));
  return out;
}

}  // namespace stepscope::kernels
