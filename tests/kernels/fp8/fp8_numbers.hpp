// SPDX-License-Identifier: Apache-2.0
// Matrices in host memory, and codes that are compared as numbers.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "kernels/fp8/fp8.hpp"
#include "tests/kernels/adamw_8bit/made_adamw_8bit.hpp"

namespace stepscope::kernels {

// Numbers over several powers of ten, rounded to bfloat16 so that both types hold the same.
inline std::vector<float> fp8_numbers(std::size_t count, std::uint64_t seed, float factor = 1) {
  std::vector<float> numbers = spread_numbers(count, seed, 4);
  for (float& number : numbers) number = to_float(to_bfloat16(number * factor));
  return numbers;
}

// The same with what is rare: zeros, the ends of the range and beyond, and no numbers.
inline std::vector<float> rare_numbers(std::size_t count, std::uint64_t seed) {
  std::vector<float> numbers = fp8_numbers(count, seed, 300);
  const float infinity = std::numeric_limits<float>::infinity();
  const float rare[] = {0.0F,     -0.0F,    448.0F,    464.0F,       480.0F,  -1e30F,
                        57344.0F, 61440.0F, 1e-30F,    -448.0F,      0x1p-9F, 0x1p-10F,
                        0x1p-16F, infinity, -infinity, std::nanf("")};
  for (std::size_t i = 0; i < std::size(rare) && 7 * i < count; ++i) numbers[7 * i] = rare[i];
  return numbers;
}

inline std::vector<Bfloat16> narrowed(const std::vector<float>& numbers) {
  std::vector<Bfloat16> narrow;
  for (const float number : numbers) narrow.push_back(to_bfloat16(number));
  return narrow;
}

// Codes in the order of their numbers, both zeros at 0; NaN beyond all.
inline int place_of_code(Fp8Format format, std::uint8_t code) {
  if (std::isnan(from_fp8(format, code))) return 1000;
  const int magnitude = code & 0x7f;
  return (code & 0x80U) != 0 ? -magnitude : magnitude;
}

}  // namespace stepscope::kernels
