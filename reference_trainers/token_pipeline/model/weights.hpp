// SPDX-License-Identifier: Apache-2.0
// The weights, float32, drawn on the host so that a seed gives the same ones on every device.
// Matrices are [outputs, inputs].
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "reference_trainers/token_pipeline/config.hpp"

namespace stepscope::token_pipeline {

struct LayerWeights {
  at::Tensor attention_norm, query_key_value, attention_output;
  at::Tensor mlp_norm, up, down;
};

struct Weights {
  at::Tensor token;     // [vocabulary, d_model]
  at::Tensor kind;      // [3, d_model], of a token's region
  at::Tensor position;  // [positions, d_model]
  at::Tensor feature;   // [d_model, features]
  std::vector<LayerWeights> layers;
  at::Tensor final_norm, head;

  // Leaves that have gradients, in the order of the forward pass.
  std::vector<at::Tensor> all() const;
};

Weights make_weights(const Config& config, at::Device device);

}  // namespace stepscope::token_pipeline
