// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/llm/model/layers.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/outer.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/softmax.h>

#include <cmath>
#include <limits>

namespace stepscope::llm {

at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight) {
  constexpr double kEpsilon = 1e-6;
  const at::Tensor wide = x.to(at::kFloat);
  const at::Tensor scale = at::rsqrt(wide.square().mean(-1, /*keepdim=*/true) + kEpsilon);
  return (wide * scale).to(x.scalar_type()) * weight.to(x.scalar_type());
}

RotaryTables make_rotary_tables(std::int64_t sequence, std::int64_t head_size, at::Device device) {
  constexpr double kBase = 10000;
  const at::Tensor exponent =
      at::arange(0, head_size, 2, at::TensorOptions(at::kDouble)) / -static_cast<double>(head_size);
  const at::Tensor angle = at::outer(at::arange(sequence, at::TensorOptions(at::kDouble)),
                                     at::pow(at::Scalar(kBase), exponent));
  return {angle.cos().to(at::kFloat).to(device), angle.sin().to(at::kFloat).to(device)};
}

RotaryTables tables_at(const RotaryTables& tables, const at::Tensor& positions) {
  const auto of = [&positions](const at::Tensor& table) {
    return table.index_select(0, positions.flatten())
        .view({positions.size(0), 1, positions.size(1), table.size(1)});
  };
  return {of(tables.cos), of(tables.sin)};
}

at::Tensor visible_in_documents(const at::Tensor& positions) {
  const at::Tensor document = positions.eq(0).cumsum(1);
  const at::Tensor same = document.unsqueeze(2).eq(document.unsqueeze(1));
  return same.tril().unsqueeze(1);
}

at::Tensor rotate(const at::Tensor& x, const RotaryTables& tables) {
  const std::vector<at::Tensor> half = x.chunk(2, -1);
  return at::cat({half[0] * tables.cos - half[1] * tables.sin,
                  half[1] * tables.cos + half[0] * tables.sin},
                 -1)
      .to(x.scalar_type());
}

at::Tensor explicit_attention(const at::Tensor& query, const at::Tensor& key,
                              const at::Tensor& value, const at::Tensor& hidden) {
  const std::int64_t group = query.size(1) / key.size(1);
  const at::Tensor keys = key.repeat_interleave(group, 1);
  const at::Tensor values = value.repeat_interleave(group, 1);
  const double scale = 1 / std::sqrt(static_cast<double>(query.size(3)));
  const at::Tensor scores = at::matmul(query, keys.transpose(-2, -1)) * scale;
  const at::Tensor weights =
      at::softmax(scores.masked_fill(hidden, -std::numeric_limits<double>::infinity()), -1);
  return at::matmul(weights.to(values.scalar_type()), values);
}

// Repeats heads of keys if there is a mask, because not every kernel that takes one shares them.
at::Tensor fused_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                           const at::Tensor& visible) {
  const std::int64_t group = query.size(1) / key.size(1);
  if (visible.defined())
    return at::scaled_dot_product_attention(query, key.repeat_interleave(group, 1),
                                            value.repeat_interleave(group, 1), visible);
  return at::scaled_dot_product_attention(query, key, value, {}, /*dropout_p=*/0,
                                          /*is_causal=*/true, std::nullopt,
                                          /*enable_gqa=*/group != 1);
}

at::Tensor cross_entropy(const at::Tensor& logits, const at::Tensor& targets) {
  return at::cross_entropy_loss(logits.to(at::kFloat).flatten(0, 1), targets.flatten());
}

}  // namespace stepscope::llm
