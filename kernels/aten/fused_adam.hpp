// SPDX-License-Identifier: Apache-2.0
// kernels/fused_adam on tensors, in place and without autograd. On the CPU: its reference in
// double, rounded.
#pragma once

#include <ATen/core/Tensor.h>

#include "kernels/aten/feature_list.hpp"
#include "kernels/fused_adam/fused_adam.hpp"

namespace stepscope::aten {

// float32, contiguous, of one size.
struct AdamState {
  at::Tensor parameters, first_moments, second_moments;
  at::Tensor copy;  // bfloat16, optional: the parameters rounded
};

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
