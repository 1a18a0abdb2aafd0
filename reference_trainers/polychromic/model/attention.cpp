// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/polychromic/model/attention.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/softmax.h>

#include <cmath>
#include <limits>
#include <optional>

namespace stepscope::polychromic {
namespace {

at::Tensor causal_mask_of(const at::Tensor& query) {
  return at::full({query.size(2), query.size(2)}, -std::numeric_limits<double>::infinity(),
                  query.options())
      .triu(1);
}

}  // namespace

at::Tensor attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                     const Sight& sight, bool fused) {
  if (fused) {
    const std::optional<at::Tensor> mask =
        sight.mask.defined() ? std::optional(sight.mask) : std::nullopt;
    return at::scaled_dot_product_attention(query, key, value, mask, /*dropout_p=*/0, sight.causal);
  }
  const double scale = 1 / std::sqrt(static_cast<double>(query.size(3)));
  at::Tensor scores = at::matmul(query, key.transpose(-2, -1)) * scale;
  if (sight.causal) scores = scores + causal_mask_of(query);
  if (sight.mask.defined()) scores = scores + sight.mask;
  return at::matmul(at::softmax(scores, -1), value);
}

}  // namespace stepscope::polychromic
