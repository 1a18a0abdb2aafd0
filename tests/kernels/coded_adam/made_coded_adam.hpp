// SPDX-License-Identifier: Apache-2.0
// Parameters, moments as codes, and gradients in host memory.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/coded_adam/coded_adam.hpp"

namespace stepscope::kernels {

// Numbers of (-1, 1) whose sizes spread over so many powers of ten.
inline std::vector<float> spread_moments(std::size_t count, std::uint64_t seed, double powers = 3) {
  std::vector<float> numbers;
  std::uint64_t state = seed * 2 + 1;
  const auto next = [&state] {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<double>(state >> 11) * 0x1p-53;
  };
  for (std::size_t i = 0; i < count; ++i) {
    const double sign = next() < 0.5 ? -1 : 1;
    numbers.push_back(static_cast<float>(sign * std::pow(10, -powers * next())));
  }
  return numbers;
}

struct CodedAdamOnHost {
  std::int64_t vectors, length;
  std::vector<float> parameters, gradients;
  std::vector<std::uint8_t> first_codes, second_codes;
  std::vector<MomentScales> scales;

  CodedAdamOnHost(std::int64_t of_vectors, std::int64_t of_length, std::uint64_t seed)
      : vectors(of_vectors),
        length(of_length),
        parameters(spread_moments(static_cast<std::size_t>(vectors * length), seed)),
        gradients(parameters.size()),
        first_codes(parameters.size()),
        second_codes(parameters.size()),
        scales(static_cast<std::size_t>(vectors * coded_blocks(length))) {}

  void set_gradients(std::uint64_t seed, double powers = 3) {
    gradients = spread_moments(parameters.size(), seed, powers);
  }
  CodedAdam call(const AdamSettings& settings) {
    return {{parameters.data(), first_codes.data(), second_codes.data(), scales.data()},
            vectors,
            length,
            gradients.data(),
            settings};
  }
  const MomentScales& scales_at(std::size_t i) const {
    const std::size_t vector = i / static_cast<std::size_t>(length);
    const std::size_t column = i % static_cast<std::size_t>(length);
    return scales[vector * static_cast<std::size_t>(coded_blocks(length)) +
                  column / static_cast<std::size_t>(kCodedBlock)];
  }
  float first(std::size_t i) const { return first_moment(first_codes[i], scales_at(i).first); }
  float second(std::size_t i) const { return second_moment(second_codes[i], scales_at(i).second); }
};

inline AdamSettings coded_settings(std::int64_t step) {
  AdamSettings settings;
  settings.step = step;
  return settings;
}

}  // namespace stepscope::kernels
