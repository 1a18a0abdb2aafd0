// SPDX-License-Identifier: Apache-2.0
// Parts of the model that keep less for the backward pass and compute it again there.
//
//   by operation   what a norm or SwiGLU gives to a product is not kept: the pass is a few reads of
//                  memory, and no product is made twice
//   by block       of a whole block its input alone is kept (Chen et al. 2016): every product of
//                  the forward pass is made twice
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

namespace stepscope::llm {

struct SumAndProduct {
  at::Tensor sum, product;
};
// sum = residual + branch (without a branch: the residual), product = linear(rms_norm(sum,
// norm_weight), weight); the norm is not kept. `fused`: by fused_ops.
SumAndProduct recomputed_norm_linear(const at::Tensor& residual, const at::Tensor& branch,
                                     const at::Tensor& norm_weight, const at::Tensor& weight,
                                     bool fused);

// linear(silu(gate) * up, weight); packed [..., 2 * hidden] is kept, what is multiplied is not.
at::Tensor recomputed_swiglu_linear(const at::Tensor& packed, const at::Tensor& weight, bool fused);

// body(inputs), of which the inputs are kept. The body must depend on them alone and be the same
// when it is called again; weights that it uses are among them.
using Body = std::function<std::vector<at::Tensor>(const std::vector<at::Tensor>&)>;
std::vector<at::Tensor> recomputed(const std::vector<at::Tensor>& inputs, Body body);

}  // namespace stepscope::llm
