// SPDX-License-Identifier: Apache-2.0
#include "kernels/adamw_8bit/dynamic_code.hpp"

#include <algorithm>
#include <cmath>

namespace stepscope::kernels {
namespace {

// Puts the middles of 2^most, 2^(most - 1), ... equal parts of [0.1, 1], a power of ten lower each.
std::size_t add_magnitudes(DynamicCode& table, std::size_t at, int most, double sign) {
  constexpr int kPowers = 7;
  for (int power = 0; power < kPowers; ++power) {
    const int parts = 1 << (most - power);
    for (int part = 0; part < parts; ++part) {
      const double fraction = 0.1 + 0.9 * (part + 0.5) / parts;
      table[at++] = static_cast<float>(sign * fraction * std::pow(10, -power));
    }
  }
  return at;
}

DynamicCode finished(DynamicCode table, std::size_t at) {
  table[at] = 0;
  table[at + 1] = 1;
  std::sort(table.begin(), table.end());
  return table;
}

}  // namespace

DynamicCode signed_dynamic_code() {
  DynamicCode table{};
  const std::size_t positive = add_magnitudes(table, 0, 6, 1);
  return finished(table, add_magnitudes(table, positive, 6, -1));
}

DynamicCode unsigned_dynamic_code() {
  DynamicCode table{};
  return finished(table, add_magnitudes(table, 0, 7, 1));
}

}  // namespace stepscope::kernels
