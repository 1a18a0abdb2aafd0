// SPDX-License-Identifier: Apache-2.0
// Sets of vectors of any type on the host, hard on distances: nearly equal ones, opposite ones,
// zeros, lengths far apart.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "kernels/pairwise_cosine/pairwise_cosine.hpp"
#include "tests/kernels/support/key_patterns.hpp"

namespace stepscope::kernels {

// value(set, vector, column, random) for each number.
struct VectorPattern {
  std::string name;
  std::function<double(std::int64_t, std::int64_t, std::int64_t, std::mt19937&)> value;
};

inline std::vector<VectorPattern> vector_patterns() {
  using Random = std::mt19937;
  const auto wave = [](std::int64_t column) { return std::sin(static_cast<double>(column) + 1); };
  return {
      {"normal", [](auto, auto, auto, Random& r) { return normal(r); }},
      {"equal", [=](auto, auto, auto k, Random&) { return wave(k); }},
      {"nearly equal", [=](auto, auto, auto k, Random& r) { return wave(k) + 1e-3 * normal(r); }},
      {"opposite", [=](auto, auto i, auto k, Random&) { return i % 2 == 0 ? wave(k) : -wave(k); }},
      {"orthogonal", [](auto, auto i, auto k, Random&) { return k == i ? 2.0 : 0.0; }},
      {"a zero vector", [](auto, auto i, auto, Random& r) { return i == 1 ? 0.0 : normal(r); }},
      {"all zero", [](auto, auto, auto, Random&) { return 0.0; }},
      {"far apart in length",
       [](auto, auto i, auto, Random& r) {
         return normal(r) * std::ldexp(1.0, 3 * static_cast<int>(i % 5) - 6);
       }},
  };
}

template <class T>
std::vector<T> made_vectors(const VectorPattern& pattern, std::int64_t sets, std::int64_t count,
                            std::int64_t width) {
  std::mt19937 random(static_cast<std::uint32_t>(sets * 131 + count * 17 + width));
  std::vector<T> vectors;
  for (std::int64_t set = 0; set < sets; ++set)
    for (std::int64_t i = 0; i < count; ++i)
      for (std::int64_t k = 0; k < width; ++k)
        assign(vectors.emplace_back(), pattern.value(set, i, k, random));
  return vectors;
}

template <class T>
VectorSets sets_of(const T* vectors, std::int64_t sets, std::int64_t count, std::int64_t width) {
  return {vectors, KeyTypeOf<T>::value, sets, count, width};
}

}  // namespace stepscope::kernels
