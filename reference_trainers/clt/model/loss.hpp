// SPDX-License-Identifier: Apache-2.0
// Three terms of the loss; the run's loss is their sum and that of auxiliary_loss.hpp.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "reference_trainers/clt/config.hpp"
#include "reference_trainers/clt/data/activation_store.hpp"

namespace stepscope::clt {

// sum over layers of mean((prediction - target)^2), both taken back to the original space.
at::Tensor reconstruction_loss(const std::vector<at::Tensor>& predictions,
                               const std::vector<at::Tensor>& targets,
                               const std::vector<Normalisation>& normalisation);

// lambda(step) * sum over layers, tokens and features of tanh(c * norm * activation), where lambda
// grows linearly from 0 at the first step to its full value at the end of the run.
at::Tensor sparsity_penalty(const std::vector<at::Tensor>& activations,
                            const std::vector<at::Tensor>& decoder_norms, const Config& config,
                            std::int64_t step);

// coefficient * mean over all layers' entries of relu(-preactivation): pulls silent features back.
at::Tensor preactivation_loss(const std::vector<at::Tensor>& preactivations, double coefficient);

}  // namespace stepscope::clt
