// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/token_pipeline/model/model.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/scaled_dot_product_attention.h>

#include <stepscope/annotate.hpp>

namespace stepscope::token_pipeline {
namespace {

at::Tensor normed(const at::Tensor& x, const at::Tensor& weight) {
  return at::layer_norm(x, {x.size(-1)}, weight);
}

}  // namespace

Model::Model(const Config& config, at::Device device)
    : config_(config), weights_(make_weights(config, device)) {}

at::Tensor Model::layer(const LayerWeights& weights, const at::Tensor& x,
                        const at::Tensor& visible) const {
  const std::int64_t samples = x.size(0), length = x.size(1), heads = config_.shape.heads;
  const at::Tensor packed = at::linear(normed(x, weights.attention_norm), weights.query_key_value)
                                .view({samples, length, 3, heads, -1})
                                .permute({2, 0, 3, 1, 4});
  const at::Tensor mixed =
      at::scaled_dot_product_attention(packed[0], packed[1], packed[2], visible);
  const at::Tensor attended =
      x + at::linear(mixed.transpose(1, 2).reshape(x.sizes()), weights.attention_output);
  const at::Tensor hidden = at::gelu(at::linear(normed(attended, weights.mlp_norm), weights.up));
  return attended + at::linear(hidden, weights.down);
}

at::Tensor Model::loss(const Batch& batch, const Part& part, double share) const {
  at::Tensor x;
  {
    const auto phase = stepscope::phase("embed");
    x = config_.fixes.vectorised ? embed_at_once(weights_, batch, part)
                                 : embed_one_by_one(weights_, batch, part);
  }
  const at::Tensor lengths = batch.lengths(part).unsqueeze(1);
  const at::Tensor inside = at::arange(part.longest, lengths.options()).unsqueeze(0) < lengths;
  {
    const auto phase = stepscope::phase("encoder");
    const at::Tensor visible = inside.view({part.samples, 1, 1, part.longest});
    for (const LayerWeights& weights : weights_.layers) x = layer(weights, x, visible);
  }
  const auto phase = stepscope::phase("loss");
  const at::Tensor weight = inside.to(at::kFloat) / lengths;
  const at::Tensor mean = (normed(x, weights_.final_norm) * weight.unsqueeze(2)).sum(1);
  return at::cross_entropy_loss(at::linear(mean, weights_.head), batch.labels(part), {},
                                at::Reduction::Sum) *
         share;
}

}  // namespace stepscope::token_pipeline
