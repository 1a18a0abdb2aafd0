// SPDX-License-Identifier: Apache-2.0
// The decoder: embedding; per layer x += attention(norm(x)), x += mlp(norm(x)); norm; logits by the
// embedding's matrix; mean cross entropy. The rungs choose how each part is computed.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "reference_trainers/llm/config.hpp"
#include "reference_trainers/llm/model/layers.hpp"
#include "reference_trainers/llm/model/parameters.hpp"

namespace stepscope::llm {

class Model {
 public:
  Model(const Config& config, at::Device device);

  // inputs and targets int64 [B, T]; a float32 scalar with a gradient.
  at::Tensor loss(const at::Tensor& inputs, const at::Tensor& targets) const;

  std::vector<Parameter> parameters() { return parameters_of(weights_); }

 private:
  at::Tensor attention(const LayerWeights& layer, const at::Tensor& x) const;
  at::Tensor feed_forward(const LayerWeights& layer, const at::Tensor& x) const;

  const Shape shape_;
  const Rungs rungs_;
  Weights weights_;
  RotaryTables rotary_;
  at::Tensor future_;  // [T, T]; of explicit attention
};

}  // namespace stepscope::llm
