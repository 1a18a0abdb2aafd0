// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/model/model.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <cmath>

#include "reference_trainers/common/at_once.hpp"
#include "reference_trainers/common/random.hpp"

namespace stepscope::clt {
namespace {

// Drawn on the host and whole, so that every device and rank starts from the same weights; kept is
// a part along one dimension.
at::Tensor uniform(at::IntArrayRef shape, double bound, at::Generator& random, at::Device device,
                   std::int64_t dimension, trainers::Span kept) {
  const at::Tensor host = at::empty(shape).uniform_(-bound, bound, random);
  return host.slice(dimension, kept.begin, kept.end)
      .contiguous()
      .to(device)
      .set_requires_grad(true);
}

at::Tensor zeros(std::int64_t size, at::Device device) {
  return at::zeros({size}, at::TensorOptions(device)).set_requires_grad(true);
}

}  // namespace

Model::Model(const Config& config, at::Device device, trainers::Span features)
    : encoders_(static_cast<std::size_t>(config.layers)), decoders_(encoders_.size()) {
  const double encoder_bound = 1 / std::sqrt(static_cast<double>(config.features));
  const double decoder_bound = 1 / std::sqrt(static_cast<double>(config.layers * config.d_model));
  for (std::size_t layer = 0; layer < encoders_.size(); ++layer) {
    encoder_biases_.push_back(zeros(features.size(), device));
    decoder_biases_.push_back(zeros(config.d_model, device));
  }
  trainers::for_each_at_once(encoders_.size(), [&](std::size_t target) {
    at::Generator random =
        trainers::seeded_generator(config.seed, trainers::RandomStream::weights, target);
    encoders_[target] =
        uniform({config.features, config.d_model}, encoder_bound, random, device, 0, features);
    for (std::size_t source = 0; source <= target; ++source) {
      decoders_[target].push_back(
          uniform({config.d_model, config.features}, decoder_bound, random, device, 1, features));
    }
  });
}

std::vector<at::Tensor> Model::encode(const std::vector<at::Tensor>& inputs) const {
  std::vector<at::Tensor> preactivations;
  for (std::size_t layer = 0; layer < encoders_.size(); ++layer) {
    preactivations.push_back(at::linear(inputs[layer], encoders_[layer], encoder_biases_[layer]));
  }
  return preactivations;
}

std::vector<at::Tensor> Model::decode(const std::vector<at::Tensor>& activations,
                                      Biases biases) const {
  std::vector<at::Tensor> outputs;
  for (std::size_t target = 0; target < decoders_.size(); ++target) {
    const at::Tensor bias = biases == Biases::with ? decoder_biases_[target] : at::Tensor();
    at::Tensor output = at::linear(activations[0], decoders_[target][0], bias);
    for (std::size_t source = 1; source <= target; ++source) {
      output = output + at::linear(activations[source], decoders_[target][source]);
    }
    outputs.push_back(output);
  }
  return outputs;
}

std::vector<at::Tensor> Model::decoder_norms() const {
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> norms;
  for (std::size_t source = 0; source < decoders_.size(); ++source) {
    at::Tensor squares = at::zeros_like(encoder_biases_[source]);
    for (std::size_t target = source; target < decoders_.size(); ++target) {
      squares += decoders_[target][source].square().sum(0);
    }
    norms.push_back(squares.sqrt());
  }
  return norms;
}

std::vector<at::Tensor> Model::parameters() const {
  std::vector<at::Tensor> all(encoders_);
  all.insert(all.end(), encoder_biases_.begin(), encoder_biases_.end());
  for (const std::vector<at::Tensor>& sources : decoders_)
    all.insert(all.end(), sources.begin(), sources.end());
  all.insert(all.end(), decoder_biases_.begin(), decoder_biases_.end());
  return all;
}

}  // namespace stepscope::clt
