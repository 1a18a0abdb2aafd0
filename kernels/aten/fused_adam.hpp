// SPDX-License-Identifier: Apache-2.0
// kernels/fused_adam and kernels/coded_adam on tensors, in place and without autograd. On the CPU:
// the former's reference in double, rounded; the latter's reference.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "kernels/aten/feature_list.hpp"
#include "kernels/coded_adam/coded_adam.hpp"
#include "kernels/fused_adam/fused_adam.hpp"

namespace stepscope::aten {

// Contiguous, of one size: parameters in float32, and moments in float32 or, where there are scales,
// as codes of 8 bits (uint8, kernels/coded_adam).
struct AdamState {
  at::Tensor parameters, first_moments, second_moments;
  at::Tensor copy = {};    // bfloat16, optional: the parameters rounded; none beside codes
  at::Tensor scales = {};  // float32 [vectors, blocks, 2]: parameters are so many vectors

  bool coded() const { return scales.defined(); }
};

// Moments of 0 as codes. The parameters are vectors of that length, one behind the other.
AdamState coded_state(const at::Tensor& parameters, std::int64_t length);

// Gradients: float32 or bfloat16, one a parameter.
void fused_adam(AdamState& state, const at::Tensor& gradients,
                const kernels::AdamSettings& settings);

// The weights of a sparse decoder, whose gradient is never in memory. Output gradients:
// [tokens, layers, model], contiguous.
void fused_adam_decoder(AdamState& state, const kernels::SparseDecoderShape& shape,
                        const FeatureList& by_column, const at::Tensor& output_gradients,
                        const kernels::AdamSettings& settings);

// The same in two calls, the first of features without an entry, which needs no gradients. On the
// CPU the first does nothing and the second all.
void silent_adam_decoder(AdamState& state, const kernels::SparseDecoderShape& shape,
                         const FeatureList& by_column, const kernels::AdamSettings& settings);
void lazy_adam_decoder(AdamState& state, const kernels::SparseDecoderShape& shape,
                       const FeatureList& by_column, const at::Tensor& output_gradients,
                       const kernels::AdamSettings& settings);

}  // namespace stepscope::aten
