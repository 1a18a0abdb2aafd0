// SPDX-License-Identifier: Apache-2.0
// Parts of a block as one operation each, with its gradient: on a GPU the kernels of
// kernels/transformer, on the CPU the operations of layers.hpp, which are their meaning. All
// tensors of a call have one type, float32 or bfloat16.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "reference_trainers/llm/config.hpp"
#include "reference_trainers/llm/model/layers.hpp"

namespace stepscope::llm {

struct NormedSum {
  at::Tensor sum, normed;
};
// sum = residual + branch, normed = rms_norm(sum, weight). Without a branch sum is the residual.
NormedSum add_rms_norm(const at::Tensor& residual, const at::Tensor& branch,
                       const at::Tensor& weight);

// Each [B, heads, T, D]; packed [B, T, (H + 2 G) D].
struct Heads {
  at::Tensor query, key, value;
};
Heads normed_heads(const at::Tensor& packed, const at::Tensor& query_weight,
                   const at::Tensor& key_weight, const RotaryTables& tables, const Shape& shape);

// silu(gate) * up; packed [..., 2 * hidden].
at::Tensor swiglu(const at::Tensor& packed);

// share * mean loss. On a GPU the logits are overwritten by their gradient, for a backward pass
// that begins at this loss with gradient 1.
at::Tensor fused_cross_entropy(const at::Tensor& logits, const at::Tensor& targets, double share);

// The loss of each token, float32 [tokens], without a gradient.
at::Tensor token_losses(const at::Tensor& logits, const at::Tensor& targets);

// Whether this build has the kernels.
bool has_kernels();

}  // namespace stepscope::llm
