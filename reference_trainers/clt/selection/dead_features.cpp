// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/selection/dead_features.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>

namespace stepscope::clt {

DeadFeatures::DeadFeatures(const Config& config, at::Device device)
    : silent_steps_(
          at::zeros({config.layers, config.features}, at::TensorOptions(device).dtype(at::kLong))),
      window_(config.dead_window) {}

void DeadFeatures::update(const std::vector<at::Tensor>& activations) {
  const at::NoGradGuard no_grad;
  for (std::size_t layer = 0; layer < activations.size(); ++layer) {
    const at::Tensor fired = (activations[layer] > kFires).any(0);
    at::Tensor silent = silent_steps_.select(0, static_cast<std::int64_t>(layer));
    silent.add_(1).masked_fill_(fired, 0);
  }
}

at::Tensor DeadFeatures::fired(const std::vector<at::Tensor>& activations) {
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> layers;
  for (const at::Tensor& layer : activations) layers.push_back((layer > kFires).any(0));
  return at::stack(layers);
}

void DeadFeatures::update_fired(const at::Tensor& fired) {
  const at::NoGradGuard no_grad;
  silent_steps_.add_(1).masked_fill_(fired, 0);
}

at::Tensor DeadFeatures::mask() const {
  return silent_steps_ > window_;
}

}  // namespace stepscope::clt
