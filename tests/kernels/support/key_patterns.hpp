// SPDX-License-Identifier: Apache-2.0
// Matrices that are hard on a selection by key, in any key type.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "kernels/common/float_bits.hpp"

namespace stepscope::kernels {

// Round to nearest even, by the formats' definitions.
inline void assign(float& key, double value) {
  key = static_cast<float>(value);
}
inline void assign(Bfloat16& key, double value) {
  key = to_bfloat16(static_cast<float>(value));
}
inline void assign(Float16& key, double value) {
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::fabs(value);
  std::uint32_t bits = 0x7e00U;
  if (!std::isnan(value)) {
    int exponent = 0;
    std::frexp(magnitude, &exponent);
    const double unit = std::ldexp(1.0, std::max(exponent - 11, -24));
    const double rounded = std::nearbyint(magnitude / unit) * unit;
    if (rounded >= 65520 || std::isinf(magnitude)) {
      bits = 0x7c00U;
    } else if (rounded < std::ldexp(1.0, -14)) {
      bits = static_cast<std::uint32_t>(std::ldexp(rounded, 24));
    } else {
      std::frexp(rounded, &exponent);
      const double mantissa = std::ldexp(rounded, 11 - exponent) - 1024;
      bits =
          (static_cast<std::uint32_t>(exponent + 14) << 10) + static_cast<std::uint32_t>(mantissa);
    }
  }
  key.bits = static_cast<std::uint16_t>(sign | bits);
}

// value(row, column, random) for each entry, row by row.
struct KeyPattern {
  std::string name;
  std::function<double(std::int64_t, std::int64_t, std::mt19937&)> value;
};

template <class T>
std::vector<T> made_keys(const KeyPattern& pattern, std::int64_t rows, std::int64_t columns) {
  std::mt19937 random(static_cast<std::uint32_t>(rows * 31 + columns));
  std::vector<T> keys(static_cast<std::size_t>(rows * columns));
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t column = 0; column < columns; ++column)
      assign(keys[static_cast<std::size_t>(row * columns + column)],
             pattern.value(row, column, random));
  return keys;
}

inline double normal(std::mt19937& random) {
  return std::normal_distribution<double>()(random);
}

inline std::vector<KeyPattern> key_patterns() {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  using Random = std::mt19937;
  return {
      {"normal", [](auto, auto, Random& r) { return normal(r); }},
      {"all equal", [](auto, auto, Random&) { return 1.5; }},
      {"all zero", [](auto, auto, Random&) { return 0.0; }},
      {"two values", [](auto, auto, Random& r) { return r() % 200 == 0 ? 2.0 : 1.0; }},
      {"all NaN", [=](auto, auto, Random&) { return nan; }},
      {"some NaN", [=](auto, auto, Random& r) { return r() % 50 == 0 ? nan : normal(r); }},
      {"zeroes of both signs", [](auto, auto, Random& r) { return r() % 2 == 0 ? 0.0 : -0.0; }},
      {"relu", [](auto, auto, Random& r) { return std::max(normal(r), 0.0); }},
      {"few positives",
       [](auto, auto, Random& r) { return r() % 1000 == 0 ? 1.0 : -normal(r) * normal(r); }},
      {"subnormal", [](auto, auto, Random& r) { return std::ldexp(normal(r), -132); }},
      {"half subnormal", [](auto, auto, Random& r) { return std::ldexp(normal(r), -22); }},
      {"infinities",
       [=](auto, auto, Random& r) {
         return r() % 3 == 0 ? (r() % 2 == 0 ? infinity : -infinity) : normal(r);
       }},
      {"one hot row", [](auto row, auto, Random& r) { return normal(r) + (row == 0 ? 20 : 0); }},
      {"one hot column",
       [](auto, auto column, Random& r) { return normal(r) + (column == 3 ? 20 : 0); }},
      {"ramp up",
       [](auto row, auto column, Random&) {
         return static_cast<double>(row) + static_cast<double>(column) / 64;
       }},
      {"ramp down",
       [](auto row, auto column, Random&) {
         return -static_cast<double>(row) * 3 - static_cast<double>(column);
       }},
      {"one radix bin",
       [](auto, auto, Random& r) { return 1.0 + static_cast<double>(r() % 4096) / 65536; }},
      {"period of a sector",
       [](auto, auto column, Random& r) { return normal(r) + (column % 16 == 5 ? 6 : 0); }},
      {"wide", [](auto, auto,
                  Random& r) { return std::ldexp(normal(r), static_cast<int>(r() % 60) - 30); }},
      {"negative", [](auto, auto, Random& r) { return -1 - std::fabs(normal(r)); }},
  };
}

}  // namespace stepscope::kernels
