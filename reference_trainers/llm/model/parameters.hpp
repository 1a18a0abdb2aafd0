// SPDX-License-Identifier: Apache-2.0
// The weights, in float32. They are drawn on the host, each from a stream of its own, so that every
// device and every subset of rungs starts from the same numbers: packed matrices hold the separate
// ones below each other.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "reference_trainers/llm/config.hpp"
#include "reference_trainers/llm/model/fp8_layers.hpp"

namespace stepscope::llm {

// Weights of a layer. Matrices are [outputs, inputs]. Where two ways to hold them are listed, one
// is defined.
struct LayerWeights {
  at::Tensor attention_norm;        // [d_model]
  at::Tensor query, key, value;     // apart
  at::Tensor query_key_value;       // packed: their rows in that order
  at::Tensor query_norm, key_norm;  // [head_size]
  at::Tensor attention_output;      // [d_model, d_model]
  at::Tensor mlp_norm;              // [d_model]
  at::Tensor gate, up;              // apart, [hidden, d_model]
  at::Tensor gate_up;               // packed
  at::Tensor down;                  // [d_model, hidden]
  Fp8Sites fp8;                     // sites of the matrices, packed
};

// Those that are defined, in a fixed order.
std::vector<at::Tensor*> fields_of(LayerWeights& layer);

struct Weights {
  at::Tensor embedding;  // [vocabulary, d_model], also the output matrix
  std::vector<LayerWeights> layers;
  at::Tensor final_norm;
};

Weights make_weights(const Config& config, at::Device device);

struct Parameter {
  std::string name;   // "layers.3.query"
  at::Tensor tensor;  // float32: what the optimizer changes
  at::Tensor leaf;    // what the model computes with and has the gradient: the same, or a copy
  bool decays = true;

  bool is_copy() const { return !leaf.is_same(tensor); }
};

// Those that are defined, in a fixed order. With `bf16_copies` the weights become copies in
// bfloat16 of the parameters' tensors.
std::vector<Parameter> take_parameters(Weights& weights, bool bf16_copies);

}  // namespace stepscope::llm
