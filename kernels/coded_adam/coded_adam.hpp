// SPDX-License-Identifier: Apache-2.0
// kernels/fused_adam with moments in 8 bits each (moment_code.hpp): 12 bytes a parameter in place of
// 24, 10 for features without a gradient. Parameters are fp32 vectors; a block is 256 columns of one,
// the last block of a vector what is left. The parameter is updated by the moments before they are
// rounded.
//
// Codes and scales begin at 0. The same calls give the same bits on every run; parameters that are
// 2^32 apart round with the same chances.
//
// A call enqueues a kernel and returns, and may be captured in a CUDA graph, as those of fused_adam.
// Pointers are to device memory, aligned to 16 bytes, those to codes to 4 and to scales to 8.
#pragma once

#include <cstdint>

#include "kernels/coded_adam/moment_code.hpp"
#include "kernels/common/status.hpp"
#include "kernels/fused_adam/adam_settings.hpp"
#include "kernels/sparse_decoder/sparse_decoder.hpp"

struct CUstream_st;

namespace stepscope::kernels {

// [vectors, length] parameters and codes, [vectors, blocks] scales.
struct CodedAdamState {
  float* parameters = nullptr;
  std::uint8_t* first_codes = nullptr;
  std::uint8_t* second_codes = nullptr;
  MomentScales* scales = nullptr;
};

STEPSCOPE_HOST_DEVICE constexpr std::int64_t coded_blocks(std::int64_t length) {
  return (length + kCodedBlock - 1) / kCodedBlock;
}

// A gradient for each parameter.
struct CodedAdam {
  CodedAdamState state;
  std::int64_t vectors = 0, length = 0;  // length a multiple of 8
  const float* gradients = nullptr;
  AdamSettings settings;
};
Status coded_adam(const CodedAdam& arguments, CUstream_st* stream);

// The weights of a sparse decoder, whose gradient is summed where it is used (fused_adam.hpp).
struct CodedAdamDecoder {
  CodedAdamState state;  // as the decoder's weights lie
  SparseDecoderShape shape;
  ActiveFeatures by_feature;
  ConstLayerRows output_gradients;
  AdamSettings settings;
  FeatureOrder order = FeatureOrder::by_target;
};
Status coded_adam_decoder(const CodedAdamDecoder& arguments, CUstream_st* stream);
// The same in two calls: features with an entry, and those without, for which output_gradients and
// the list's values are not read. The latter's codes stay, and their scales decay.
Status active_coded_adam_decoder(const CodedAdamDecoder& arguments, CUstream_st* stream);
Status silent_coded_adam_decoder(const CodedAdamDecoder& arguments, CUstream_st* stream);

// The same on the host, with pointers to its memory, any length, and settings.step. Codes and scales
// are coded_adam's to the bit, from the same gradients; parameters differ by the device's root and
// reciprocal: by at most 2^-20 of the step's change, and the last rounding.
Status coded_adam_reference(const CodedAdam& arguments);

// Checks the arguments; ok where a call would launch.
Status validate(const CodedAdam& arguments);
Status validate_on_host(const CodedAdam& arguments);
Status validate(const CodedAdamDecoder& arguments);
Status validate_silent(const CodedAdamDecoder& arguments);

}  // namespace stepscope::kernels
