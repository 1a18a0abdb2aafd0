// SPDX-License-Identifier: Apache-2.0
// Answers of a decoder too large for the host, judged at samples: sums in double precision of
// numbers read back one run at a time.
#pragma once

#include <cmath>
#include <vector>

#include "tests/bench/kernels/made_lists.hpp"

namespace stepscope::kernels {

template <class T>
std::vector<double> read_back(const void* data, std::int64_t first, std::int64_t count) {
  std::vector<T> numbers(static_cast<std::size_t>(count));
  cuda_check(cudaMemcpy(numbers.data(), static_cast<const T*>(data) + first,
                        numbers.size() * sizeof(T), cudaMemcpyDeviceToHost),
             "cudaMemcpy");
  std::vector<double> wide;
  for (const T number : numbers) wide.push_back(to_float(number));
  return wide;
}
inline std::vector<double> read_back(const void* data, KeyType type, std::int64_t first,
                                     std::int64_t count) {
  return type == KeyType::float32 ? read_back<float>(data, first, count)
                                  : read_back<Bfloat16>(data, first, count);
}

struct DecoderMemory {
  SparseDecoderShape shape;
  const void* weights;
  KeyType weight_type;
  const float* output_gradients;  // [tokens, layers, model], as outputs
};

// Far more than fp32 sums round, and what they are stored as, far less than a wrong term.
inline bool close(double found, double exact, double magnitude, KeyType stored = KeyType::float32) {
  const double rounded = stored == KeyType::bfloat16 ? std::abs(exact) / 256 : 0;
  return std::abs(found - exact) <= 1e-5 * magnitude + rounded + 1e-30;
}

// The output of one token and target, all of its columns.
inline bool output_is_sound(const DecoderMemory& memory, const HostList& by_token,
                            const float* outputs, std::int64_t token, std::int64_t target) {
  const SparseDecoderShape& s = memory.shape;
  std::vector<double> exact(static_cast<std::size_t>(s.model));
  std::vector<double> size(exact.size());
  const auto t = static_cast<std::size_t>(token);
  for (auto i = static_cast<std::size_t>(by_token.offsets[t]);
       i < static_cast<std::size_t>(by_token.offsets[t + 1]); ++i) {
    const std::int64_t source = by_token.indices[i] / s.features;
    if (source > target) continue;
    const std::int64_t vector = s.vector(source, by_token.indices[i] % s.features, target);
    const std::vector<double> weights =
        read_back(memory.weights, memory.weight_type, vector * s.model, s.model);
    for (std::size_t column = 0; column < exact.size(); ++column) {
      const double term = to_float(by_token.values[i]) * weights[column];
      exact[column] += term;
      size[column] += std::abs(term);
    }
  }
  const std::vector<double> found =
      read_back<float>(outputs, (token * s.layers + target) * s.model, s.model);
  for (std::size_t column = 0; column < exact.size(); ++column)
    if (!close(found[column], exact[column], size[column])) return false;
  return true;
}

// The gradient of one listed value.
inline bool value_gradient_is_sound(const DecoderMemory& memory, const HostList& by_token,
                                    const float* gradients, std::int64_t token,
                                    std::int64_t entry) {
  const SparseDecoderShape& s = memory.shape;
  const std::int32_t column = by_token.indices[static_cast<std::size_t>(entry)];
  const std::int64_t source = column / s.features;
  const std::int64_t count = (s.layers - source) * s.model;
  const std::vector<double> weights =
      read_back(memory.weights, memory.weight_type,
                s.vector(source, column % s.features, source) * s.model, count);
  const std::vector<double> rows =
      read_back<float>(memory.output_gradients, (token * s.layers + source) * s.model, count);
  double exact = 0;
  double size = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    exact += weights[i] * rows[i];
    size += std::abs(weights[i] * rows[i]);
  }
  return close(read_back<float>(gradients, entry, 1).front(), exact, size);
}

// The gradient of one feature's vector for one target.
inline bool weight_gradient_is_sound(const DecoderMemory& memory, const HostList& by_feature,
                                     const void* gradients, KeyType type, std::int64_t column,
                                     std::int64_t target) {
  const SparseDecoderShape& s = memory.shape;
  std::vector<double> exact(static_cast<std::size_t>(s.model));
  std::vector<double> size(exact.size());
  const auto line = static_cast<std::size_t>(column);
  for (auto i = static_cast<std::size_t>(by_feature.offsets[line]);
       i < static_cast<std::size_t>(by_feature.offsets[line + 1]); ++i) {
    const std::vector<double> row = read_back<float>(
        memory.output_gradients, (by_feature.indices[i] * s.layers + target) * s.model, s.model);
    for (std::size_t k = 0; k < exact.size(); ++k) {
      exact[k] += to_float(by_feature.values[i]) * row[k];
      size[k] += std::abs(to_float(by_feature.values[i]) * row[k]);
    }
  }
  const std::int64_t vector = s.vector(column / s.features, column % s.features, target);
  const std::vector<double> found = read_back(gradients, type, vector * s.model, s.model);
  for (std::size_t k = 0; k < exact.size(); ++k)
    if (!close(found[k], exact[k], size[k], type)) return false;
  return true;
}

// The gradient of one target's bias.
inline bool bias_gradient_is_sound(const DecoderMemory& memory, const float* gradients,
                                   std::int64_t target) {
  const SparseDecoderShape& s = memory.shape;
  std::vector<double> exact(static_cast<std::size_t>(s.model));
  std::vector<double> size(exact.size());
  for (std::int64_t token = 0; token < s.tokens; ++token) {
    const std::vector<double> row =
        read_back<float>(memory.output_gradients, (token * s.layers + target) * s.model, s.model);
    for (std::size_t k = 0; k < exact.size(); ++k) {
      exact[k] += row[k];
      size[k] += std::abs(row[k]);
    }
  }
  const std::vector<double> found = read_back<float>(gradients, target * s.model, s.model);
  for (std::size_t k = 0; k < exact.size(); ++k)
    if (!close(found[k], exact[k], size[k])) return false;
  return true;
}

}  // namespace stepscope::kernels
