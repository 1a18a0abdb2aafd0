// SPDX-License-Identifier: Apache-2.0
// The decoder: embedding; per layer x += attention(norm(x)), x += mlp(norm(x)); norm; logits by the
// embedding's matrix; mean cross entropy. The rungs choose how each part is computed.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <vector>

#include "reference_trainers/llm/config.hpp"
#include "reference_trainers/llm/model/fp8_layers.hpp"
#include "reference_trainers/llm/model/fused_ops.hpp"
#include "reference_trainers/llm/model/layers.hpp"
#include "reference_trainers/llm/model/parameters.hpp"

namespace stepscope::llm {

class Model {
 public:
  Model(const Config& config, at::Device device);

  // share * mean loss; inputs and targets int64 [B, T]; a float32 scalar with a gradient, of which
  // backward() must begin.
  // `positions` as inputs, or undefined: of each token in its document, to which attention is kept.
  at::Tensor loss(const at::Tensor& inputs, const at::Tensor& targets, double share,
                  const at::Tensor& positions = {}) const;

  // Prepares the weights' fp8 codes before the first micro-batch of a step. With several ranks,
  // `over_ranks` replaces numbers by the greatest of all ranks', in place.
  void begin_step(const std::function<void(const at::Tensor&)>& over_ranks = {}) {
    if (fp8_) fp8_->begin_step(over_ranks);
  }
  // Returns the state of the rung fp8; null without it.
  Fp8Layers* fp8() const { return fp8_.get(); }

  const std::vector<Parameter>& parameters() const { return parameters_; }
  std::vector<Parameter>& parameters() { return parameters_; }

 private:
  // What the residual is and what is still to be added to it.
  struct Stream {
    at::Tensor residual, branch;
  };
  // Where tokens are and which keys they see: the model's own, or a batch's.
  struct Places {
    RotaryTables rotary;
    at::Tensor hidden;   // mask of explicit attention
    at::Tensor visible;  // mask of fused attention; undefined: causal
  };
  Places places_of(const at::Tensor& positions) const;
  // Adds the branch to the residual and normalises the sum.
  at::Tensor normed(Stream& x, const at::Tensor& weight) const;
  // Whether ops are recomputed: with fp8 a product keeps its input's codes alone, and there is
  // nothing to be made again.
  bool recomputes_ops() const {
    return rungs_.recompute_ops && !rungs_.recompute_blocks && !rungs_.fp8;
  }
  Heads heads_of(const LayerWeights& layer, const Places& places, Stream& x) const;
  Heads split(const LayerWeights& layer, const Places& places, const at::Tensor& packed) const;
  Heads turned(const LayerWeights& layer, const Places& places, const at::Tensor& query,
               const at::Tensor& key, const at::Tensor& value) const;
  void recomputed_block(LayerWeights layer, const Places& places, Stream& x) const;
  void attention(const LayerWeights& layer, const Places& places, Stream& x) const;
  void feed_forward(const LayerWeights& layer, Stream& x) const;

  const Shape shape_;
  const Rungs rungs_;
  Weights weights_;
  std::vector<Parameter> parameters_;  // parameters of weights_
  std::unique_ptr<Fp8Layers> fp8_;     // fp8 state of weights_
  RotaryTables rotary_;
  at::Tensor future_;  // [T, T]; of explicit attention
};

}  // namespace stepscope::llm
