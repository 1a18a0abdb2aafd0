// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/llm/model/model.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/silu.h>

#include <stepscope/annotate.hpp>

#include "reference_trainers/llm/model/fp8_linear.hpp"
#include "reference_trainers/llm/model/recompute.hpp"

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
  if (rungs_.fp8) fp8_ = std::make_unique<Fp8Layers>(config, weights_);
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

Heads Model::split(const LayerWeights& layer, const Places& places,
                   const at::Tensor& packed) const {
  if (rungs_.fused_rope)
    return normed_heads(packed, layer.query_norm, layer.key_norm, places.rotary, shape_);
  const auto parts =
      packed.split_with_sizes({shape_.d_model, shape_.kv_size(), shape_.kv_size()}, -1);
  return turned(layer, places, parts[0], parts[1], parts[2]);
}

Heads Model::turned(const LayerWeights& layer, const Places& places, const at::Tensor& query,
                    const at::Tensor& key, const at::Tensor& value) const {
  const std::int64_t size = shape_.head_size();
  return {rotate(rms_norm(by_head(query, size), layer.query_norm), places.rotary),
          rotate(rms_norm(by_head(key, size), layer.key_norm), places.rotary),
          by_head(value, size)};
}

Heads Model::heads_of(const LayerWeights& layer, const Places& places, Stream& x) const {
  if (recomputes_ops()) {
    const SumAndProduct out = recomputed_norm_linear(x.residual, x.branch, layer.attention_norm,
                                                     layer.query_key_value, rungs_.fused_norm);
    x = {out.sum, {}};
    return split(layer, places, out.product);
  }
  const at::Tensor in = normed(x, layer.attention_norm);
  if (rungs_.fp8)
    return split(layer, places, fp8_linear(in, layer.query_key_value, layer.fp8.query_key_value));
  if (rungs_.packed) return split(layer, places, at::linear(in, layer.query_key_value));
  return turned(layer, places, at::linear(in, layer.query), at::linear(in, layer.key),
                at::linear(in, layer.value));
}

void Model::attention(const LayerWeights& layer, const Places& places, Stream& x) const {
  const auto phase = stepscope::phase("attention");
  const Heads heads = heads_of(layer, places, x);
  const at::Tensor out =
      rungs_.sdpa ? fused_attention(heads.query, heads.key, heads.value, places.visible)
                  : explicit_attention(heads.query, heads.key, heads.value, places.hidden);
  const at::Tensor merged = out.transpose(1, 2).reshape(x.residual.sizes());
  x.branch = rungs_.fp8 ? fp8_linear(merged, layer.attention_output, layer.fp8.attention_output)
                        : at::linear(merged, layer.attention_output);
}

void Model::feed_forward(const LayerWeights& layer, Stream& x) const {
  const auto phase = stepscope::phase("mlp");
  if (recomputes_ops()) {
    const SumAndProduct out = recomputed_norm_linear(x.residual, x.branch, layer.mlp_norm,
                                                     layer.gate_up, rungs_.fused_norm);
    x = {out.sum, recomputed_swiglu_linear(out.product, layer.down, rungs_.fused_swiglu)};
    return;
  }
  const at::Tensor in = normed(x, layer.mlp_norm);
  if (rungs_.fp8) {
    x.branch = fp8_feed_forward(in, layer.gate_up, layer.down, layer.fp8);
    return;
  }
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

// The sum is made here, so that one tensor is kept.
void Model::recomputed_block(LayerWeights layer, const Places& places, Stream& x) const {
  std::vector<at::Tensor> inputs{x.branch.defined() ? x.residual + x.branch : x.residual};
  for (const at::Tensor* weight : fields_of(layer)) inputs.push_back(*weight);
  const std::vector<at::Tensor> out =
      recomputed(inputs, [this, layer, places](const std::vector<at::Tensor>& in) {
        LayerWeights own = layer;
        std::size_t next = 0;
        for (at::Tensor* weight : fields_of(own)) *weight = in[++next];
        Stream stream{in[0], {}};
        attention(own, places, stream);
        feed_forward(own, stream);
        return std::vector<at::Tensor>{stream.residual, stream.branch};
      });
  x = {out[0], out[1]};
}

Model::Places Model::places_of(const at::Tensor& positions) const {
  if (!positions.defined()) return {rotary_, future_, {}};
  const at::Tensor visible = visible_in_documents(positions);
  return {tables_at(rotary_, positions), visible.logical_not(), visible};
}

at::Tensor Model::loss(const at::Tensor& inputs, const at::Tensor& targets, double share,
                       const at::Tensor& positions) const {
  const Places places = places_of(positions);
  Stream x{at::embedding(weights_.embedding, inputs), {}};
  for (const LayerWeights& layer : weights_.layers) {
    if (rungs_.recompute_blocks) {
      recomputed_block(layer, places, x);
      continue;
    }
    attention(layer, places, x);
    feed_forward(layer, x);
  }
  const auto phase = stepscope::phase("head");
  if (rungs_.fp8_head)
    return fp8_head_loss(normed(x, weights_.final_norm), weights_.embedding, targets, share,
                         fp8_->head());
  const at::Tensor logits = at::linear(normed(x, weights_.final_norm), weights_.embedding);
  return rungs_.fused_loss ? fused_cross_entropy(logits, targets, share)
                           : cross_entropy(logits, targets) * share;
}

}  // namespace stepscope::llm
