// SPDX-License-Identifier: Apache-2.0
// The calls of fused_adam.hpp on a state with codes.
#pragma once

#include <ATen/core/Tensor.h>

#include "kernels/aten/fused_adam.hpp"

namespace stepscope::aten {

void coded_adam(AdamState& state, const at::Tensor& gradients,
                const kernels::AdamSettings& settings);

enum class DecoderPart { all, silent, active };
// Output gradients may be undefined for the silent part.
void coded_adam_decoder(DecoderPart part, AdamState& state,
                        const kernels::SparseDecoderShape& shape, const FeatureList& by_column,
                        const at::Tensor& output_gradients, const kernels::AdamSettings& settings);

}  // namespace stepscope::aten
