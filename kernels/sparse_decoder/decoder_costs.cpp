// SPDX-License-Identifier: Apache-2.0
#include "kernels/sparse_decoder/decoder_costs.hpp"

#include <algorithm>
#include <cmath>

namespace stepscope::kernels {
namespace {

double mean_targets(const SparseDecoderShape& shape) {
  return (static_cast<double>(shape.layers) + 1) / 2;
}

double vector_bytes(const SparseDecoderShape& shape, KeyType weights) {
  return static_cast<double>(shape.model) * static_cast<double>(bytes_of(weights));
}

// Returns the number of features active at least once, over all layers.
double touched_features(const SparseDecoderShape& shape, double active_per_token) {
  const auto columns = static_cast<double>(shape.columns());
  if (columns == 0) return 0;
  const double drawn = active_per_token * static_cast<double>(shape.tokens);
  return columns * -std::expm1(-drawn / columns);
}

}  // namespace

double touched_vectors(const SparseDecoderShape& shape, double active_per_token) {
  return touched_features(shape, active_per_token) * mean_targets(shape);
}

double sparse_forward_us(const SparseDecoderShape& shape, double active_per_token, KeyType weights,
                         const DecoderRates& rates) {
  const double bytes = vector_bytes(shape, weights);
  const double active = active_per_token * static_cast<double>(shape.tokens) * mean_targets(shape);
  const double from_memory =
      touched_vectors(shape, active_per_token) * bytes / rates.memory_bytes_per_us;
  return std::max(from_memory, active * bytes / rates.l2_bytes_per_us) / rates.reached_by_gather;
}

double dense_forward_us(const SparseDecoderShape& shape, KeyType weights,
                        const DecoderRates& rates) {
  const auto tokens = static_cast<double>(shape.tokens);
  const double rate =
      weights == KeyType::bfloat16 ? rates.bf16_operations_per_us : rates.fp32_operations_per_us;
  const double numbers =
      static_cast<double>(shape.weights()) + tokens * static_cast<double>(shape.columns());
  const double bytes = numbers * static_cast<double>(bytes_of(weights));
  return std::max(2 * tokens * static_cast<double>(shape.weights()) / rate,
                  bytes / rates.memory_bytes_per_us);
}

bool sparse_forward_pays(const SparseDecoderShape& shape, double active_per_token, KeyType weights,
                         const DecoderRates& rates) {
  return sparse_forward_us(shape, active_per_token, weights, rates) <
         dense_forward_us(shape, weights, rates);
}

int lanes_of_piece(const SparseDecoderShape& shape, std::int64_t entries, KeyType weights,
                   int wished, const DecoderRates& rates) {
  if (wished != 0) return wished;
  const double per_token =
      static_cast<double>(entries) / std::max(1.0, static_cast<double>(shape.tokens));
  const double vectors = touched_features(shape, per_token) / 2;  // sources of a middle target
  const double whole = vector_bytes(shape, weights);
  for (const int lanes : {32, 16}) {
    const bool filled = whole > lanes * 8;  // else half of the lanes would have nothing to read
    if (filled && vectors * lanes * 16 <= rates.live_bytes) return lanes;
  }
  return 8;
}

}  // namespace stepscope::kernels
