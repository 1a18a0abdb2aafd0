// SPDX-License-Identifier: Apache-2.0
// The layers that decoder and encoder are made of: weights, and one pass over them. How tokens look
// at each other is the caller's, for a pass may have a cache of keys and values.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "reference_trainers/polychromic/config.hpp"

namespace stepscope::polychromic {

// Matrices are [outputs, inputs].
struct Layer {
  at::Tensor attention_norm, query_key_value, attention_output;
  at::Tensor mlp_norm, up, down;
};

struct Transformer {
  std::int64_t heads = 1;
  at::Tensor token, position, final_norm;  // token is the output matrix, too
  std::vector<Layer> layers;

  // Returns them in a fixed order.
  std::vector<at::Tensor> weights() const;
  std::int64_t parameters() const;
  // Returns how many bytes of weights a token's pass reads: all but the table of positions, for the
  // token matrix is the output's, too.
  std::int64_t bytes_of_pass() const;
};

// Draws normally distributed weights; `part` is the random stream's.
Transformer make_transformer(const Shape& shape, std::int64_t vocabulary, std::int64_t positions,
                             std::uint64_t seed, std::uint64_t part, at::Device device);

// Takes and returns [rows, heads, length, width of a head].
using Attend = std::function<at::Tensor(std::size_t layer, const at::Tensor& query,
                                        const at::Tensor& key, const at::Tensor& value)>;

// Adds token and position embeddings, [rows, length, d]; `positions` are rows of the table.
at::Tensor embedded(const Transformer& model, const at::Tensor& tokens,
                    const at::Tensor& positions);

// Returns the last layer's output [rows, length, d], normalised.
at::Tensor hidden_of(const Transformer& model, at::Tensor x, const Attend& attend);

at::Tensor logits_of(const Transformer& model, const at::Tensor& hidden);

}  // namespace stepscope::polychromic
