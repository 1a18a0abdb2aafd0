// SPDX-License-Identifier: Apache-2.0
// The transcoder's weights and its two linear halves.
//   encoder l:              [features, d_model], bias [features]   uniform in +-1/sqrt(features),
//   bias 0 decoder target, source: [d_model, features], source <= target  uniform in
//   +-1/sqrt(layers * d_model) decoder bias, a target: [d_model]                              0
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <vector>

#include "reference_trainers/clt/config.hpp"
#include "reference_trainers/common/span.hpp"

namespace stepscope::clt {

class Model {
 public:
  // Makes a model with these features of each layer; their weights are those that the whole model
  // has.
  Model(const Config& config, at::Device device, trainers::Span features);
  Model(const Config& config, at::Device device) : Model(config, device, {0, config.features}) {}

  // Pre-activations, a layer each: [batch, features].
  std::vector<at::Tensor> encode(const std::vector<at::Tensor>& inputs) const;

  // Reconstructions, a layer each: [batch, d_model]. Without biases they are the summands of these
  // features.
  enum class Biases { with, without };
  std::vector<at::Tensor> decode(const std::vector<at::Tensor>& activations,
                                 Biases biases = Biases::with) const;

  // Norm of each feature's decoders of all targets together, without gradient: a source layer each,
  // [features].
  std::vector<at::Tensor> decoder_norms() const;

  std::vector<at::Tensor> parameters() const;

  const std::vector<at::Tensor>& encoders() const { return encoders_; }
  const std::vector<at::Tensor>& encoder_biases() const { return encoder_biases_; }
  const std::vector<std::vector<at::Tensor>>& decoders() const {
    return decoders_;
  }  // [target][source]
  const std::vector<at::Tensor>& decoder_biases() const { return decoder_biases_; }

 private:
  std::vector<at::Tensor> encoders_, encoder_biases_, decoder_biases_;
  std::vector<std::vector<at::Tensor>> decoders_;
};

}  // namespace stepscope::clt
