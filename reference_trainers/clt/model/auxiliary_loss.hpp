// SPDX-License-Identifier: Apache-2.0
// The auxiliary loss of Gao et al. (2024), which brings dead features back: in each layer they
// rebuild what the live ones leave over.
//
//   loss = coef * sum over layers of min(dead / k, 1) * mean(((decoded - residual) * std)^2)
//
// `dead` counts the layer's dead features; a layer without any adds nothing. A token keeps the
// min(k, dead) dead features whose preactivations are greatest, cut off below 0, and the layer's
// decoder for itself alone decodes them, without bias. The residual, target less prediction, is a
// constant here. Like the reconstruction loss it is measured in the original space.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "reference_trainers/clt/config.hpp"
#include "reference_trainers/clt/data/activation_store.hpp"
#include "reference_trainers/clt/ranks/ranks.hpp"

namespace stepscope::clt {

// min(dead / k, 1)
double auxiliary_scale(std::int64_t dead, std::int64_t k);

// A layer each: preactivations [tokens, features], errors (prediction less target) [tokens,
// d_model], the decoder for the layer itself [d_model, features]. dead: boolean [layers, features].
// Reads how many are dead from the device. Where ranks share features, the arguments are a rank's
// own, and dead features count, compete and rebuild over all ranks; where ranks share rows, the
// mean is over a rank's own rows.
at::Tensor auxiliary_loss(const std::vector<at::Tensor>& preactivations,
                          const std::vector<at::Tensor>& errors,
                          const std::vector<at::Tensor>& decoders, const at::Tensor& dead,
                          const std::vector<Normalisation>& normalisation, const Config& config,
                          const Ranks& ranks);

}  // namespace stepscope::clt
