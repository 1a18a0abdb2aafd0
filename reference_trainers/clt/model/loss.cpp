// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/model/loss.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/mse_loss.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

namespace stepscope::clt {
namespace {

at::Tensor zero_like(const at::Tensor& tensor) {
  return at::zeros({}, tensor.options());
}

}  // namespace

at::Tensor reconstruction_loss(const std::vector<at::Tensor>& predictions,
                               const std::vector<at::Tensor>& targets,
                               const std::vector<Normalisation>& normalisation) {
  at::Tensor total = zero_like(targets.front());
  for (std::size_t layer = 0; layer < predictions.size(); ++layer) {
    total = total + at::mse_loss(normalisation[layer].undo(predictions[layer]),
                                 normalisation[layer].undo(targets[layer]));
  }
  return total;
}

at::Tensor sparsity_penalty(const std::vector<at::Tensor>& activations,
                            const std::vector<at::Tensor>& decoder_norms, const Config& config,
                            std::int64_t step) {
  const double progress =
      std::min(1.0, static_cast<double>(step) / static_cast<double>(config.steps));
  at::Tensor total = zero_like(activations.front());
  for (std::size_t layer = 0; layer < activations.size(); ++layer) {
    total = total + at::tanh(config.sparsity_c * (activations[layer] * decoder_norms[layer])).sum();
  }
  return config.sparsity_lambda * progress * total;
}

at::Tensor preactivation_loss(const std::vector<at::Tensor>& preactivations, double coefficient) {
  at::Tensor total = zero_like(preactivations.front());
  std::int64_t entries = 0;
  for (const at::Tensor& layer : preactivations) {
    total = total + at::relu(-layer).sum();
    entries += layer.numel();
  }
  return coefficient / static_cast<double>(entries) * total;
}

}  // namespace stepscope::clt
