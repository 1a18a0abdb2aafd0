// SPDX-License-Identifier: Apache-2.0
// An encoder of tokens with a class for each sample: attention over the sample's own tokens and a
// feed-forward part in every layer, the mean of the sample's tokens, cross entropy.
#pragma once

#include "reference_trainers/token_pipeline/model/embedding.hpp"

namespace stepscope::token_pipeline {

class Model {
 public:
  Model(const Config& config, at::Device device);

  // Returns the sum of the loss over the part's samples, times `share`.
  at::Tensor loss(const Batch& batch, const Part& part, double share) const;

  const Weights& weights() const { return weights_; }

 private:
  at::Tensor layer(const LayerWeights& weights, const at::Tensor& x,
                   const at::Tensor& visible) const;

  const Config config_;
  Weights weights_;
};

}  // namespace stepscope::token_pipeline
