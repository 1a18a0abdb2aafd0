// SPDX-License-Identifier: Apache-2.0
// kernels/sparse_decoder on tensors: a cross-layer decoder whose weights lie flat, as
// kernels/sparse_decoder/decoder_shape.hpp says, in float32 or bfloat16. On the CPU: its reference
// in double, float64 too. Outputs and gradients of weights have the weights' type.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>

#include "kernels/aten/feature_list.hpp"

namespace stepscope::aten {

using DecoderShape = kernels::SparseDecoderShape;

// [tokens, layers, model]. The bias, layers * model numbers in float32, may be undefined.
at::Tensor decoder_outputs(const DecoderShape& shape, const FeatureList& by_token,
                           const at::Tensor& weights, const at::Tensor& bias);

// Returns the gradient of each entry of the list: [entries] in the type of the weights. Entries
// that the list leaves unused are left alone.
at::Tensor decoder_activation_gradient(const DecoderShape& shape, const FeatureList& by_token,
                                       const at::Tensor& weights,
                                       const at::Tensor& output_gradients);

// Returns the gradient, flat as the weights, in the type of the output gradients.
at::Tensor decoder_weight_gradient(const DecoderShape& shape, const FeatureList& by_column,
                                   const at::Tensor& output_gradients);

// float32 [layers, model]; float64 where the output gradients are.
at::Tensor decoder_bias_gradient(const DecoderShape& shape, const at::Tensor& output_gradients);

// From activations [tokens, layers * features] where a mask (bitmask.hpp) of so many bits is set;
// the others have no gradient. Gradients of activations, weights and bias, each where it is wanted.
at::Tensor sparse_decoder(const at::Tensor& acts, const at::Tensor& mask, const at::Tensor& weights,
                          const std::optional<at::Tensor>& bias, std::int64_t layers,
                          std::int64_t entries);

// Checks that the sizes belong together.
DecoderShape decoder_shape_of(const at::Tensor& acts, const at::Tensor& weights,
                              std::int64_t layers);

// Contiguous [tokens, layers, model] as the kernels read it.
kernels::ConstLayerRows layer_rows(const DecoderShape& shape, const at::Tensor& rows);
// The same of an Adam's output gradients, on the device of its parameters.
kernels::ConstLayerRows checked_layer_rows(const DecoderShape& shape, const at::Tensor& rows,
                                           const at::Tensor& parameters);

}  // namespace stepscope::aten
