// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/llm/model/model.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/silu.h>

#include <stepscope/annotate.hpp>

namespace stepscope::llm {
namespace {

// [B, T, heads * D] -> [B, heads, T, D].
at::Tensor by_head(const at::Tensor& x, std::int64_t head_size) {
  return x.view({x.size(0), x.size(1), -1, head_size}).transpose(1, 2);
}

}  // namespace

Model::Model(const Config& config, at::Device device)
    : shape_(config.shape),
      rungs_(config.rungs),
      weights_(make_weights(config, device)),
      parameters_(take_parameters(weights_, rungs_.bf16_weights)),
      rotary_(make_rotary_tables(config.sequence, config.shape.head_size(), device)) {
  if (rungs_.sdpa) return;
  const std::int64_t t = config.sequence;
  future_ = at::ones({t, t}, at::TensorOptions(at::kBool).device(device)).triu(1);
}

at::Tensor Model::normed(Stream& x, const at::Tensor& weight) const {
  if (rungs_.fused_norm) {
    const NormedSum out = add_rms_norm(x.residual, x.branch, weight);
    x = {out.sum, {}};
    return out.normed;
  }
  if (x.branch.defined()) x = {x.residual + x.branch, {}};
  return rms_norm(x.residual, weight);
}

Heads Model::heads_of(const LayerWeights& layer, const at::Tensor& in) const {
  const std::int64_t size = shape_.head_size();
  Heads heads;
  if (rungs_.packed) {
    const at::Tensor packed = at::linear(in, layer.query_key_value);
    if (rungs_.fused_rope)
      return normed_heads(packed, layer.query_norm, layer.key_norm, rotary_, shape_);
    const auto parts =
        packed.split_with_sizes({shape_.d_model, shape_.kv_size(), shape_.kv_size()}, -1);
    heads = {by_head(parts[0], size), by_head(parts[1], size), by_head(parts[2], size)};
  } else {
    heads = {by_head(at::linear(in, layer.query), size), by_head(at::linear(in, layer.key), size),
             by_head(at::linear(in, layer.value), size)};
  }
  heads.query = rotate(rms_norm(heads.query, layer.query_norm), rotary_);
  heads.key = rotate(rms_norm(heads.key, layer.key_norm), rotary_);
  return heads;
}

void Model::attention(const LayerWeights& layer, Stream& x) const {
  const auto phase = stepscope::phase("attention");
  const Heads heads = heads_of(layer, normed(x, layer.attention_norm));
  const at::Tensor out = rungs_.sdpa
                             ? fused_attention(heads.query, heads.key, heads.value)
                             : explicit_attention(heads.query, heads.key, heads.value, future_);
  x.branch = at::linear(out.transpose(1, 2).reshape(x.residual.sizes()), layer.attention_output);
}

void Model::feed_forward(const LayerWeights& layer, Stream& x) const {
  const auto phase = stepscope::phase("mlp");
  const at::Tensor in = normed(x, layer.mlp_norm);
  at::Tensor hidden;
  if (rungs_.fused_swiglu) {
    hidden = swiglu(at::linear(in, layer.gate_up));
  } else if (rungs_.packed) {
    const auto parts = at::linear(in, layer.gate_up).chunk(2, -1);
    hidden = at::silu(parts[0]) * parts[1];
  } else {
    hidden = at::silu(at::linear(in, layer.gate)) * at::linear(in, layer.up);
  }
  x.branch = at::linear(hidden, layer.down);
}

at::Tensor Model::loss(const at::Tensor& inputs, const at::Tensor& targets, double share) const {
  Stream x{at::embedding(weights_.embedding, inputs), {}};
  for (const LayerWeights& layer : weights_.layers) {
    attention(layer, x);
    feed_forward(layer, x);
  }
  const auto phase = stepscope::phase("head");
  const at::Tensor logits = at::linear(normed(x, weights_.final_norm), weights_.embedding);
  return rungs_.fused_loss ? fused_cross_entropy(logits, targets, share)
                           : cross_entropy(logits, targets) * share;
}

}  // namespace stepscope::llm
