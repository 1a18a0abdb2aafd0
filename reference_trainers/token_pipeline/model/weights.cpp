// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/token_pipeline/model/weights.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/ones.h>

#include "reference_trainers/common/random.hpp"
#include "reference_trainers/token_pipeline/data/regions.hpp"

namespace stepscope::token_pipeline {

std::vector<at::Tensor> Weights::all() const {
  std::vector<at::Tensor> out{token, kind, position, feature};
  for (const LayerWeights& layer : layers)
    for (const at::Tensor& weight : {layer.attention_norm, layer.query_key_value,
                                     layer.attention_output, layer.mlp_norm, layer.up, layer.down})
      out.push_back(weight);
  out.push_back(final_norm);
  out.push_back(head);
  return out;
}

Weights make_weights(const Config& config, at::Device device) {
  constexpr double kDeviation = 0.02;
  const Shape& shape = config.shape;
  const std::int64_t d = shape.d_model;
  at::Generator random = trainers::seeded_generator(config.seed, trainers::RandomStream::weights);
  const auto leaf = [device](const at::Tensor& host) {
    return host.to(device).set_requires_grad(true);
  };
  const auto matrix = [&](std::int64_t rows, std::int64_t columns) {
    return leaf(at::empty({rows, columns}).normal_(0, kDeviation, random));
  };
  const auto norm = [&] { return leaf(at::ones({d})); };
  Weights weights{.token = matrix(shape.vocabulary, d),
                  .kind = matrix(kRegionsOfSample, d),
                  .position = matrix(config.positions(), d),
                  .feature = matrix(d, shape.features),
                  .layers = {},
                  .final_norm = norm(),
                  .head = matrix(shape.classes, d)};
  for (std::int64_t i = 0; i < shape.layers; ++i)
    weights.layers.push_back({norm(), matrix(3 * d, d), matrix(d, d), norm(),
                              matrix(shape.hidden, d), matrix(d, shape.hidden)});
  return weights;
}

}  // namespace stepscope::token_pipeline
