// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/tree/model.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/softmax.h>

#include <cmath>
#include <limits>
#include <stepscope/annotate.hpp>

#include "reference_trainers/common/random.hpp"

namespace stepscope::tree {
namespace {

at::Tensor causal_mask(std::int64_t length, at::Device device) {
  return at::full({length, length}, -std::numeric_limits<double>::infinity(),
                  at::TensorOptions(at::kFloat).device(device))
      .triu(1);
}

at::Tensor normed(const at::Tensor& x, const at::Tensor& weight) {
  return at::layer_norm(x, {x.size(-1)}, weight);
}

}  // namespace

// Each node draws from a stream of its own.
Model::Model(const Config& config, at::Device device) : config_(config) {
  constexpr double kDeviation = 0.02;
  const Shape& shape = config.shape;
  const std::int64_t d = shape.d_model;
  std::uint64_t part = 0;
  at::Generator random;
  const auto leaf = [device](const at::Tensor& host) {
    return host.to(device).set_requires_grad(true);
  };
  const auto begin = [&] {
    random = trainers::seeded_generator(config.seed, trainers::RandomStream::weights, part++);
  };
  const auto matrix = [&](std::int64_t rows, std::int64_t columns) {
    return leaf(at::empty({rows, columns}).normal_(0, kDeviation, random));
  };
  const auto norm = [&] { return leaf(at::ones({d})); };
  begin();
  token_ = matrix(shape.vocabulary, d);
  position_ = matrix(shape.sequence, d);
  final_norm_ = norm();
  head_ = matrix(shape.vocabulary, d);
  for (std::int64_t i = 0; i < shape.nodes(); ++i) {
    begin();
    nodes_.push_back(
        {norm(), matrix(3 * d, d), matrix(d, d), norm(), matrix(4 * d, d), matrix(d, 4 * d)});
  }
  if (config.fixes.cached_mask) mask_ = causal_mask(shape.sequence, device);
}

std::int64_t Model::parameters() const {
  std::int64_t count = 0;
  for (const at::Tensor& weight : shared()) count += weight.numel();
  for (const Node& node : nodes_)
    for (const at::Tensor& weight : node.weights()) count += weight.numel();
  return count;
}

at::Tensor Model::attention(const at::Tensor& query, const at::Tensor& key,
                            const at::Tensor& value) const {
  if (config_.fixes.flash_attention)
    return at::scaled_dot_product_attention(query, key, value, {}, /*dropout_p=*/0,
                                            /*is_causal=*/true);
  const at::Tensor mask = mask_.defined() ? mask_ : causal_mask(query.size(2), query.device());
  const double scale = 1 / std::sqrt(static_cast<double>(query.size(3)));
  const at::Tensor scores = at::matmul(query, key.transpose(-2, -1)) * scale + mask;
  return at::matmul(at::softmax(scores, -1).to(value.scalar_type()), value);
}

at::Tensor Model::layer(const Node& node, const at::Tensor& x) const {
  const auto heads = at::linear(normed(x, node.attention_norm), node.query_key_value)
                         .view({x.size(0), x.size(1), 3, config_.shape.heads, -1})
                         .permute({2, 0, 3, 1, 4});
  const at::Tensor mixed = attention(heads[0], heads[1], heads[2]);
  const at::Tensor attended =
      x + at::linear(mixed.transpose(1, 2).reshape(x.sizes()), node.attention_output);
  const at::Tensor hidden = at::gelu(at::linear(normed(attended, node.mlp_norm), node.up));
  return attended + at::linear(hidden, node.down);
}

at::Tensor Model::loss(const at::Tensor& sequences, std::int64_t leaf) const {
  const std::int64_t length = config_.shape.sequence;
  at::Tensor x = at::embedding(token_, sequences.narrow(1, 0, length)) + position_;
  for (const std::size_t node : config_.shape.path_to(leaf)) x = layer(nodes_[node], x);
  const auto phase = stepscope::phase("head");
  const at::Tensor logits = at::linear(normed(x, final_norm_), head_);
  return at::cross_entropy_loss(logits.to(at::kFloat).flatten(0, 1),
                                sequences.narrow(1, 1, length).flatten());
}

}  // namespace stepscope::tree
