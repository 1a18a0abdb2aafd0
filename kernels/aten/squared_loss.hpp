// SPDX-License-Identifier: Apache-2.0
// kernels/sparse_decoder/squared_loss on tensors: float32, contiguous. On the CPU in double,
// rounded.
#pragma once

#include <ATen/core/Tensor.h>

namespace stepscope::aten {

struct SquaredLoss {
  at::Tensor loss;        // []
  at::Tensor of_outputs;  // the gradient, as outputs
  at::Tensor of_bias;     // of_outputs summed over the tokens
};

// The sum of factor * (deviations * (outputs - targets))^2: [tokens, ...], deviations [...].
SquaredLoss squared_loss(const at::Tensor& outputs, const at::Tensor& targets,
                         const at::Tensor& deviations, double factor);

}  // namespace stepscope::aten
