// SPDX-License-Identifier: Apache-2.0
// AdamW of 8 bits on numbers in host memory.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/adamw_8bit/adamw_8bit.hpp"
#include "kernels/common/float_bits.hpp"

namespace stepscope::kernels {

// Numbers of (-1, 1) whose sizes spread over so many powers of ten, as gradients' do.
inline std::vector<float> spread_numbers(std::size_t count, std::uint64_t seed, double powers = 3) {
  std::vector<float> numbers;
  std::uint64_t state = seed * 2 + 1;
  const auto next = [&state] {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<double>(state >> 11) * 0x1p-53;
  };
  for (std::size_t i = 0; i < count; ++i) {
    const double sign = next() < 0.5 ? -1 : 1, size = std::pow(10, -powers * next());
    numbers.push_back(static_cast<float>(sign * size * (1 - 0.5 * next())));
  }
  return numbers;
}

struct Adamw8BitOnHost {
  std::vector<float> parameters, gradients, tables, mean_scales, square_scales;
  std::vector<Bfloat16> narrow_gradients, copy;
  std::vector<std::uint8_t> mean_codes, square_codes;
  float rate = 1e-3F, step = 0, divisor = 1;

  Adamw8BitOnHost(std::size_t count, std::uint64_t seed)
      : parameters(spread_numbers(count, seed)), gradients(count), copy(count) {
    const DynamicCode of_means = signed_dynamic_code(), of_squares = unsigned_dynamic_code();
    tables.assign(of_means.begin(), of_means.end());
    tables.insert(tables.end(), of_squares.begin(), of_squares.end());
    mean_codes.assign(count, nearest_code(of_means.data(), 0));
    square_codes.assign(count, nearest_code(of_squares.data(), 0));
    mean_scales.assign((count + kQuantisedBlock - 1) / kQuantisedBlock, 0);
    square_scales = mean_scales;
  }

  void set_gradients(std::uint64_t seed, double powers = 3) {
    gradients = spread_numbers(gradients.size(), seed, powers);
    narrow_gradients.clear();
    for (const float number : gradients) narrow_gradients.push_back(to_bfloat16(number));
  }

  Adamw8Bit call(KeyType type) {
    Adamw8Bit out;
    out.count = static_cast<std::int64_t>(parameters.size());
    out.parameters = parameters.data();
    out.gradient_type = type;
    out.gradients = type == KeyType::bfloat16 ? static_cast<const void*>(narrow_gradients.data())
                                              : gradients.data();
    out.copy = copy.data();
    out.mean_codes = mean_codes.data(), out.square_codes = square_codes.data();
    out.mean_scales = mean_scales.data(), out.square_scales = square_scales.data();
    out.tables = tables.data();
    out.rate = &rate, out.step = &step, out.divisor = &divisor;
    out.weight_decay = 0.1F;
    return out;
  }
};

}  // namespace stepscope::kernels
