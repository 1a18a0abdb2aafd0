// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/llm/model/fused_ops.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/Reduction.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/silu.h>

#include "reference_trainers/llm/model/device_ops.hpp"

namespace stepscope::llm {
namespace {

at::Tensor heads_first(const at::Tensor& x, std::int64_t head_size) {
  return x.view({x.size(0), x.size(1), -1, head_size}).transpose(1, 2);
}

}  // namespace

NormedSum add_rms_norm(const at::Tensor& residual, const at::Tensor& branch,
                       const at::Tensor& weight) {
  if (residual.is_cuda()) return device_add_rms_norm(residual, branch, weight);
  const at::Tensor sum = branch.defined() ? residual + branch : residual;
  return {sum, rms_norm(sum, weight)};
}

Heads normed_heads(const at::Tensor& packed, const at::Tensor& query_weight,
                   const at::Tensor& key_weight, const RotaryTables& tables, const Shape& shape) {
  if (packed.is_cuda()) return device_normed_heads(packed, query_weight, key_weight, tables, shape);
  const auto parts = packed.split_with_sizes({shape.d_model, shape.kv_size(), shape.kv_size()}, -1);
  const std::int64_t size = shape.head_size();
  return {rotate(rms_norm(heads_first(parts[0], size), query_weight), tables),
          rotate(rms_norm(heads_first(parts[1], size), key_weight), tables),
          heads_first(parts[2], size)};
}

at::Tensor swiglu(const at::Tensor& packed) {
  if (packed.is_cuda()) return device_swiglu(packed);
  const auto parts = packed.chunk(2, -1);
  return at::silu(parts[0]) * parts[1];
}

at::Tensor fused_cross_entropy(const at::Tensor& logits, const at::Tensor& targets, double share) {
  if (logits.is_cuda()) return device_cross_entropy(logits, targets, share);
  return cross_entropy(logits, targets) * share;
}

at::Tensor token_losses(const at::Tensor& logits, const at::Tensor& targets) {
  if (logits.is_cuda()) return device_token_losses(logits, targets);
  return at::cross_entropy_loss(logits.to(at::kFloat).reshape({-1, logits.size(-1)}),
                                targets.flatten(), {}, at::Reduction::None);
}

}  // namespace stepscope::llm
