// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/polychromic/model/transformer.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/ones.h>

#include "reference_trainers/common/random.hpp"

namespace stepscope::polychromic {
namespace {

at::Tensor normed(const at::Tensor& x, const at::Tensor& weight) {
  return at::layer_norm(x, {x.size(-1)}, weight);
}

at::Tensor layer_output(const Transformer& model, std::size_t index, const at::Tensor& x,
                        const Attend& attend) {
  const Layer& layer = model.layers[index];
  const auto heads = at::linear(normed(x, layer.attention_norm), layer.query_key_value)
                         .view({x.size(0), x.size(1), 3, model.heads, -1})
                         .permute({2, 0, 3, 1, 4});
  const at::Tensor mixed = attend(index, heads[0], heads[1], heads[2]);
  const at::Tensor attended =
      x + at::linear(mixed.transpose(1, 2).reshape(x.sizes()), layer.attention_output);
  const at::Tensor wide = at::gelu(at::linear(normed(attended, layer.mlp_norm), layer.up));
  return attended + at::linear(wide, layer.down);
}

}  // namespace

std::vector<at::Tensor> Transformer::weights() const {
  std::vector<at::Tensor> all{token, position, final_norm};
  for (const Layer& layer : layers)
    all.insert(all.end(), {layer.attention_norm, layer.query_key_value, layer.attention_output,
                           layer.mlp_norm, layer.up, layer.down});
  return all;
}

std::int64_t Transformer::parameters() const {
  std::int64_t count = 0;
  for (const at::Tensor& weight : weights()) count += weight.numel();
  return count;
}

std::int64_t Transformer::bytes_of_pass() const {
  return (parameters() - position.numel()) * static_cast<std::int64_t>(token.element_size());
}

Transformer make_transformer(const Shape& shape, std::int64_t vocabulary, std::int64_t positions,
                             std::uint64_t seed, std::uint64_t part, at::Device device) {
  constexpr double kDeviation = 0.02;
  const std::int64_t d = shape.d_model;
  at::Generator random = trainers::seeded_generator(seed, trainers::RandomStream::weights, part);
  const auto matrix = [&](std::int64_t rows, std::int64_t columns) {
    return at::empty({rows, columns}).normal_(0, kDeviation, random).to(device);
  };
  const auto norm = [&] { return at::ones({d}, at::TensorOptions(device)); };
  Transformer model{shape.heads, matrix(vocabulary, d), matrix(positions, d), norm(), {}};
  for (std::int64_t i = 0; i < shape.layers; ++i)
    model.layers.push_back(
        {norm(), matrix(3 * d, d), matrix(d, d), norm(), matrix(4 * d, d), matrix(d, 4 * d)});
  return model;
}

at::Tensor embedded(const Transformer& model, const at::Tensor& tokens,
                    const at::Tensor& positions) {
  return at::embedding(model.token, tokens) + positions;
}

at::Tensor hidden_of(const Transformer& model, at::Tensor x, const Attend& attend) {
  for (std::size_t i = 0; i < model.layers.size(); ++i) x = layer_output(model, i, x, attend);
  return normed(x, model.final_norm);
}

at::Tensor logits_of(const Transformer& model, const at::Tensor& hidden) {
  return at::linear(hidden, model.token);
}

}  // namespace stepscope::polychromic
