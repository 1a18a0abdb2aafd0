// SPDX-License-Identifier: Apache-2.0
// A causal language model whose layers are the nodes of a path.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "reference_trainers/tree/config.hpp"

namespace stepscope::tree {

// Matrices are [outputs, inputs].
struct Node {
  at::Tensor attention_norm, query_key_value, attention_output;
  at::Tensor mlp_norm, up, down;

  std::vector<at::Tensor> weights() const {
    return {attention_norm, query_key_value, attention_output, mlp_norm, up, down};
  }
};

class Model {
 public:
  Model(const Config& config, at::Device device);

  // The mean over all tokens of sequences that go to that leaf.
  at::Tensor loss(const at::Tensor& sequences, std::int64_t leaf) const;

  const std::vector<Node>& nodes() const { return nodes_; }
  // Returns the parameters that every path uses.
  std::vector<at::Tensor> shared() const { return {token_, position_, final_norm_, head_}; }
  std::int64_t parameters() const;

 private:
  at::Tensor layer(const Node& node, const at::Tensor& x) const;
  at::Tensor attention(const at::Tensor& query, const at::Tensor& key,
                       const at::Tensor& value) const;

  const Config config_;
  at::Tensor token_, position_, final_norm_, head_;
  std::vector<Node> nodes_;
  at::Tensor mask_;  // with cached_mask
};

}  // namespace stepscope::tree
