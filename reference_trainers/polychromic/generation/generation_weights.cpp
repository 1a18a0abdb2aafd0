// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/polychromic/generation/generation_weights.hpp"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_copy.h>

namespace stepscope::polychromic {

Transformer frozen(const Transformer& model, at::ScalarType type) {
  const auto one = [type](const at::Tensor& weight) { return weight.detach().to(type); };
  Transformer out{model.heads, one(model.token), one(model.position), one(model.final_norm), {}};
  for (const Layer& layer : model.layers)
    out.layers.push_back({one(layer.attention_norm), one(layer.query_key_value),
                          one(layer.attention_output), one(layer.mlp_norm), one(layer.up),
                          one(layer.down)});
  return out;
}

void GenerationWeights::refresh() {
  if (model_.token.scalar_type() == at::kFloat) return;
  const at::NoGradGuard no_grad;
  at::_foreach_copy_(model_.weights(), learning_);
}

}  // namespace stepscope::polychromic
