// SPDX-License-Identifier: Apache-2.0
// fused_ops.hpp on a GPU, with autograd around kernels/transformer. Without the kernels each throws
// and says how to build them.
#pragma once

#include "kernels/adamw_8bit/adamw_8bit.hpp"
#include "kernels/fp8/fp8.hpp"
#include "reference_trainers/llm/model/fused_ops.hpp"

namespace stepscope::llm {

NormedSum device_add_rms_norm(const at::Tensor& residual, const at::Tensor& branch,
                              const at::Tensor& weight);
Heads device_normed_heads(const at::Tensor& packed, const at::Tensor& query_weight,
                          const at::Tensor& key_weight, const RotaryTables& tables,
                          const Shape& shape);
// Runs on the GPU that holds `weights`.
void device_adamw_8bit(const kernels::Adamw8Bit& call, const at::Tensor& weights);
// Runs on the GPU that holds the tensor.
void device_fp8(const kernels::Fp8Quantise& call, const at::Tensor& on);
void device_fp8(const kernels::Fp8Swiglu& call, const at::Tensor& on);
void device_fp8(const kernels::Fp8SwigluGradient& call, const at::Tensor& on);
void device_fp8(const kernels::Fp8CrossEntropyGradient& call, const at::Tensor& on);
void device_fp8(const kernels::Fp8Amax& call, const at::Tensor& on);
void device_fp8(const kernels::Fp8ScaleUpdate& call, const at::Tensor& on);
at::Tensor device_swiglu(const at::Tensor& packed);
at::Tensor device_token_losses(const at::Tensor& logits, const at::Tensor& targets);
at::Tensor device_cross_entropy(const at::Tensor& logits, const at::Tensor& targets, double share);

}  // namespace stepscope::llm
