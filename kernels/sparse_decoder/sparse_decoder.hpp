// SPDX-License-Identifier: Apache-2.0
// The decoder of a cross-layer transcoder on lists of active features, forward and backward:
//
//   output[token][t] = bias[t] + sum over active (source s <= t, feature f) of
//                      value * weights[s][f][t - s]
//
// Weights lie as decoder_shape.hpp says, in bf16 or fp32; sums are fp32 in an order that the
// arguments alone decide, without atomics, so the bits are the same on every run. Values outside a
// list have no gradient: it is what a top-k activation hands on.
//
// A call enqueues kernels and returns: it neither waits, nor allocates, nor reads device memory
// from the host, so it can be captured in a CUDA graph. Calls that share a workspace must be
// ordered. Pointers are to device memory, aligned to 16 bytes unless said otherwise.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/common/key_types.hpp"
#include "kernels/common/status.hpp"
#include "kernels/sparse_decoder/decoder_shape.hpp"
#include "kernels/sparse_decoder/feature_order.hpp"

struct CUstream_st;

namespace stepscope::kernels {

// A list of active features as bitmask_list writes it, by rows (a line a token, indices are
// columns) or by columns (a line a feature, indices are tokens); indices rise within a line.
// Entries from `capacity` on, which that call left out, count as inactive.
struct ActiveFeatures {
  const std::int64_t* offsets = nullptr;  // [lines + 1], aligned to its type as the others
  const std::int32_t* indices = nullptr;  // [capacity]
  const void* values = nullptr;           // [capacity]
  KeyType value_type = KeyType::bfloat16;
  std::int64_t capacity = 0;
};

// `model` numbers for each token and layer: at token * token_stride + layer * layer_stride, counted
// in numbers, both multiples of 8. [tokens, layers, model] has (layers * model, model).
template <class Memory>
struct LayerRowsIn {
  Memory* data = nullptr;
  KeyType type = KeyType::float32;  // or bfloat16
  std::int64_t token_stride = 0, layer_stride = 0;
};
using LayerRows = LayerRowsIn<void>;
using ConstLayerRows = LayerRowsIn<const void>;

// How many lanes of a warp read one vector's piece, 16 bytes each: 8, 16 or 32; 0 chooses
// (decoder_costs.hpp). Narrow pieces keep more of what is read again in the L2 cache.
using LanesOfPiece = int;

struct SparseDecoderForward {
  SparseDecoderShape shape;
  ActiveFeatures by_token;
  const void* weights = nullptr;
  KeyType weight_type = KeyType::bfloat16;  // or float32
  const float* bias = nullptr;              // [layers, model]; null: none
  LayerRows outputs;
  LanesOfPiece lanes = 0;
};
Status sparse_decoder_forward(const SparseDecoderForward& arguments, CUstream_st* stream);

// Computes the gradient of each value of the list: gradients[entry] = sum over targets of the dot
// product of its vectors with the token's output gradients.
struct SparseDecoderActivationGradient {
  SparseDecoderShape shape;
  ActiveFeatures by_token;  // values are not read
  const void* weights = nullptr;
  KeyType weight_type = KeyType::bfloat16;  // or float32
  ConstLayerRows output_gradients;
  void* gradients = nullptr;  // [capacity]; entries that do not exist are left alone
  KeyType gradient_type = KeyType::bfloat16;  // or float32
  LanesOfPiece lanes = 0;
  void* workspace = nullptr;  // any content; 256-byte aligned
  std::size_t workspace_bytes = 0;
};
std::size_t sparse_decoder_workspace_bytes(const SparseDecoderActivationGradient& arguments);
Status sparse_decoder_activation_gradient(const SparseDecoderActivationGradient& arguments,
                                          CUstream_st* stream);

// Computes the gradient of all weights, written densely: zeroes where a feature was not active.
// fused_adam_decoder takes the same list and writes no gradient at all.
struct SparseDecoderWeightGradient {
  SparseDecoderShape shape;
  ActiveFeatures by_feature;
  ConstLayerRows output_gradients;
  void* gradients = nullptr;                 // as the weights lie
  KeyType gradient_type = KeyType::float32;  // or bfloat16
  FeatureOrder order = FeatureOrder::by_target;
};
Status sparse_decoder_weight_gradient(const SparseDecoderWeightGradient& arguments,
                                      CUstream_st* stream);

struct SparseDecoderBiasGradient {
  SparseDecoderShape shape;  // features are not read
  ConstLayerRows output_gradients;
  float* gradients = nullptr;  // [layers, model]
};
Status sparse_decoder_bias_gradient(const SparseDecoderBiasGradient& arguments,
                                    CUstream_st* stream);

// Checks the arguments; ok where a call would launch.
Status validate(const SparseDecoderShape& shape);
Status validate(const SparseDecoderForward& arguments);
Status validate(const SparseDecoderActivationGradient& arguments);
Status validate(const SparseDecoderWeightGradient& arguments);
Status validate(const SparseDecoderBiasGradient& arguments);

}  // namespace stepscope::kernels
