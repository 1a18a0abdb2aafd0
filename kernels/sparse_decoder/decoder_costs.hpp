// SPDX-License-Identifier: Apache-2.0
// The costs of the decoder's two methods by count of bytes and operations, by which one is chosen.
//
// Dense: one GEMM a source (decoder_shape.hpp); operations over the matrix rate, or weights and
// dense activations over the memory rate. Sparse: each touched vector once from memory, each active
// one once from the L2 cache; the larger over the part of these rates that a gather reaches.
// Touched: features active at least once in the batch, taken as drawn uniformly. Training skews
// them, which makes the sparse way cheaper than said here.
#pragma once

#include <cstdint>

#include "kernels/common/key_types.hpp"
#include "kernels/sparse_decoder/decoder_shape.hpp"

namespace stepscope::kernels {

// Rates of an H200, measured with these kernels at F4096 (L2), F49152 (memory) and cuBLAS at F16384
// (docs/measurements/kernels.md); between the two the sparse way takes up to 15 % longer than
// computed here. An H100 reads 3.0e6. The rate of fp32 in TF32 is not measured.
struct DecoderRates {
  double memory_bytes_per_us = 4.25e6;
  double l2_bytes_per_us = 8.8e6;
  double bf16_operations_per_us = 800e6;
  double fp32_operations_per_us = 350e6;
  double reached_by_gather = 0.93;
  // The part of the L2 cache that a piece may fill; above it a narrower piece is taken.
  double live_bytes = 24e6;
};
constexpr DecoderRates kRates;

// Vectors that some token activates, over all sources and targets.
double touched_vectors(const SparseDecoderShape& shape, double active_per_token);

double sparse_forward_us(const SparseDecoderShape& shape, double active_per_token, KeyType weights,
                         const DecoderRates& rates = kRates);
double dense_forward_us(const SparseDecoderShape& shape, KeyType weights,
                        const DecoderRates& rates = kRates);

// Whether to call sparse_decoder_forward, or the caller's GEMMs. Gradients of activations follow
// the same rule; gradients of weights are cheaper from a list at any such count.
bool sparse_forward_pays(const SparseDecoderShape& shape, double active_per_token, KeyType weights,
                         const DecoderRates& rates = kRates);

// `wished`, or where it is 0 the widest whose pieces of a middle target keep within live_bytes.
// `entries`: how many a list holds at most.
int lanes_of_piece(const SparseDecoderShape& shape, std::int64_t entries, KeyType weights,
                   int wished = 0, const DecoderRates& rates = kRates);

}  // namespace stepscope::kernels
