// SPDX-License-Identifier: Apache-2.0
// Adam and AdamW in one pass over memory: the gradient is read, or summed from a list of active
// features, moments and parameters are updated, a bf16 copy of the parameters is written and the
// gradient set to 0. fp32 throughout; each parameter is updated by one thread, so the bits are the
// same on every run.
//
// The functions whose name begins with fused_adam do exactly what dense Adam does: parameters
// without a gradient have gradient 0, and their moments decay. Those of lazy_adam leave them and
// their moments alone, which is another optimiser.
//
// A call enqueues a kernel and returns: it neither waits, nor allocates, nor reads device memory
// from the host, so it can be captured in a CUDA graph. Pointers are to device memory, aligned to
// 16 bytes unless said otherwise.
#pragma once

#include <cstdint>

#include "kernels/common/key_types.hpp"
#include "kernels/common/status.hpp"
#include "kernels/fused_adam/adam_settings.hpp"
#include "kernels/sparse_decoder/sparse_decoder.hpp"

struct CUstream_st;

namespace stepscope::kernels {

// Moments, as many numbers each as there are parameters.
struct AdamState {
  float* parameters = nullptr;
  float* first_moments = nullptr;
  float* second_moments = nullptr;
  Bfloat16* copy = nullptr;  // optional: the parameters rounded, what the next step computes with
};

// A gradient for each parameter.
struct FusedAdam {
  AdamState state;
  std::int64_t count = 0;
  void* gradients = nullptr;
  KeyType gradient_type = KeyType::float32;  // or bfloat16
  bool zero_gradients = false;
  AdamSettings settings;
};
Status fused_adam(const FusedAdam& arguments, CUstream_st* stream);

// A gradient for some rows of [rows, row_length].
struct FusedAdamRows {
  AdamState state;
  std::int64_t rows = 0, row_length = 0;  // row_length a multiple of 4
  // [rows], aligned to its type: which of the gradient's rows is this row's; below 0: none.
  const std::int32_t* slots = nullptr;
  void* gradients = nullptr;                 // [any number of rows, row_length]
  KeyType gradient_type = KeyType::float32;  // or bfloat16
  bool zero_gradients = false;               // those of rows that have a slot
  AdamSettings settings;
};
Status fused_adam_rows(const FusedAdamRows& arguments, CUstream_st* stream);
Status lazy_adam_rows(const FusedAdamRows& arguments, CUstream_st* stream);

// The weights of a sparse decoder, without a gradient in memory: that of a feature's vector is
// summed where it is used, from the list by features, in the order and so to the bits of
// sparse_decoder_weight_gradient.
struct FusedAdamDecoder {
  AdamState state;  // as the decoder's weights lie; the copy is what the decoder reads
  SparseDecoderShape shape;
  ActiveFeatures by_feature;
  ConstLayerRows output_gradients;
  AdamSettings settings;
  FeatureOrder order = FeatureOrder::by_target;
};
Status fused_adam_decoder(const FusedAdamDecoder& arguments, CUstream_st* stream);
Status lazy_adam_decoder(const FusedAdamDecoder& arguments, CUstream_st* stream);
// Does what fused_adam_decoder does to features without an entry, so that both calls together are
// it. This one waits for no gradient: output_gradients and the list's values are not read.
Status silent_adam_decoder(const FusedAdamDecoder& arguments, CUstream_st* stream);

// Checks the arguments; ok where a call would launch.
Status validate(const AdamSettings& settings);
Status validate(const FusedAdam& arguments);
Status validate(const FusedAdamRows& arguments);
Status validate(const FusedAdamDecoder& arguments);
Status validate_silent(const FusedAdamDecoder& arguments);

}  // namespace stepscope::kernels
