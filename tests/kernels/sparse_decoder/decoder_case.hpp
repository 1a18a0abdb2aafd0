// SPDX-License-Identifier: Apache-2.0
// A made decoder, its list of active features by tokens, and gradients of its outputs. Numbers are
// such that bf16 holds them, so that host and device compute with the same ones.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "kernels/common/float_bits.hpp"
#include "kernels/sparse_decoder/sparse_decoder_reference.hpp"

namespace stepscope::kernels {

inline std::vector<double> made_numbers(std::int64_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<double> numbers(static_cast<std::size_t>(count));
  for (double& number : numbers) number = to_float(to_bfloat16(normal(random)));
  return numbers;
}

struct DecoderCase {
  SparseDecoderShape shape;
  HostActiveFeatures active;
  std::vector<double> weights, bias, output_gradients;
};

// `share` of all features active at random; feature 1 in every token, the first token in every
// feature, the second in none.
inline DecoderCase made_case(const SparseDecoderShape& shape, double share) {
  DecoderCase made;
  made.shape = shape;
  std::mt19937 random(11);
  std::bernoulli_distribution active(share);
  made.active.offsets.push_back(0);
  for (std::int64_t token = 0; token < shape.tokens; ++token) {
    for (std::int64_t column = 0; column < shape.columns(); ++column)
      if (token == 0 || (token != 1 && (column == 1 || active(random))))
        made.active.columns.push_back(static_cast<std::int32_t>(column));
    made.active.offsets.push_back(static_cast<std::int64_t>(made.active.columns.size()));
  }
  made.active.values = made_numbers(made.active.offsets.back(), 1);
  made.weights = made_numbers(shape.weights(), 2);
  made.bias = made_numbers(shape.layers * shape.model, 3);
  made.output_gradients = made_numbers(shape.tokens * shape.layers * shape.model, 4);
  return made;
}

inline std::vector<double> magnitudes(std::vector<double> numbers) {
  for (double& number : numbers) number = std::abs(number);
  return numbers;
}

inline DecoderCase magnitudes(DecoderCase made) {
  for (auto* numbers : {&made.weights, &made.bias, &made.output_gradients, &made.active.values})
    *numbers = magnitudes(*numbers);
  return made;
}

// The list a line a feature, and where each of its entries is in the list by tokens.
struct ListByFeature {
  std::vector<std::int64_t> offsets;
  std::vector<std::int32_t> tokens;
  std::vector<std::size_t> entries;
};

inline ListByFeature by_feature(const SparseDecoderShape& shape, const HostActiveFeatures& active) {
  ListByFeature list;
  list.offsets.push_back(0);
  for (std::int64_t column = 0; column < shape.columns(); ++column) {
    for (std::size_t token = 0; token + 1 < active.offsets.size(); ++token)
      for (auto entry = static_cast<std::size_t>(active.offsets[token]);
           entry < static_cast<std::size_t>(active.offsets[token + 1]); ++entry)
        if (active.columns[entry] == column) {
          list.tokens.push_back(static_cast<std::int32_t>(token));
          list.entries.push_back(entry);
        }
    list.offsets.push_back(static_cast<std::int64_t>(list.tokens.size()));
  }
  return list;
}

}  // namespace stepscope::kernels
