// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/llm/model/model.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/silu.h>

#include <array>
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
      rotary_(make_rotary_tables(config.sequence, config.shape.head_size(), device)) {
  if (rungs_.sdpa) return;
  const std::int64_t t = config.sequence;
  future_ = at::ones({t, t}, at::TensorOptions(at::kBool).device(device)).triu(1);
}

at::Tensor Model::attention(const LayerWeights& layer, const at::Tensor& x) const {
  const auto phase = stepscope::phase("attention");
  const at::Tensor in = rms_norm(x, layer.attention_norm);
  std::array<at::Tensor, 3> qkv;
  if (rungs_.packed) {
    const at::Tensor all = at::linear(in, layer.query_key_value);
    const auto parts =
        all.split_with_sizes({shape_.d_model, shape_.kv_size(), shape_.kv_size()}, -1);
    qkv = {parts[0], parts[1], parts[2]};
  } else {
    qkv = {at::linear(in, layer.query), at::linear(in, layer.key), at::linear(in, layer.value)};
  }
  for (at::Tensor& part : qkv) part = by_head(part, shape_.head_size());
  const at::Tensor query = rotate(rms_norm(qkv[0], layer.query_norm), rotary_);
  const at::Tensor key = rotate(rms_norm(qkv[1], layer.key_norm), rotary_);
  const at::Tensor out = rungs_.sdpa ? fused_attention(query, key, qkv[2])
                                     : explicit_attention(query, key, qkv[2], future_);
  return x + at::linear(out.transpose(1, 2).reshape(x.sizes()), layer.attention_output);
}

at::Tensor Model::feed_forward(const LayerWeights& layer, const at::Tensor& x) const {
  const auto phase = stepscope::phase("mlp");
  const at::Tensor in = rms_norm(x, layer.mlp_norm);
  at::Tensor gate, up;
  if (rungs_.packed) {
    const auto parts = at::linear(in, layer.gate_up).chunk(2, -1);
    gate = parts[0], up = parts[1];
  } else {
    gate = at::linear(in, layer.gate), up = at::linear(in, layer.up);
  }
  return x + at::linear(at::silu(gate) * up, layer.down);
}

at::Tensor Model::loss(const at::Tensor& inputs, const at::Tensor& targets) const {
  at::Tensor x = at::embedding(weights_.embedding, inputs);
  for (const LayerWeights& layer : weights_.layers) x = feed_forward(layer, attention(layer, x));
  const auto phase = stepscope::phase("head");
  return cross_entropy(at::linear(rms_norm(x, weights_.final_norm), weights_.embedding), targets);
}

}  // namespace stepscope::llm
