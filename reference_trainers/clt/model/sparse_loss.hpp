// SPDX-License-Identifier: Apache-2.0
// The loss of the step on lists of active features, its gradients written out: the terms of
// loss.hpp and auxiliary_loss.hpp, of which those without a weight are left out.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "reference_trainers/clt/config.hpp"
#include "reference_trainers/clt/data/activation_store.hpp"
#include "reference_trainers/clt/model/loss_parts.hpp"
#include "reference_trainers/clt/model/sparse_auxiliary.hpp"
#include "reference_trainers/clt/model/sparse_model.hpp"
#include "reference_trainers/clt/ranks/ranks.hpp"
#include "reference_trainers/clt/selection/dead_features.hpp"

namespace stepscope::clt {

// The results of one pass over a batch.
struct SparseForward {
  at::Tensor preactivations;  // [tokens, layers * features]; without bias where no term needs it
  ActiveFeatures active;
  at::Tensor outputs;  // [tokens, layers, model]
};

// Gradients are undefined where every term that has them is left out.
struct SparseLoss {
  LossParts parts;
  // Gradients; the second is in the order of by_token's values.
  at::Tensor of_outputs, of_values, of_preactivations;
  at::Tensor of_decoder_bias;  // [layers, model]
  Auxiliary auxiliary;

  bool reaches_all_preactivations() const {
    return of_preactivations.defined() || !auxiliary.layers.empty();
  }
};

// The standard deviations side by side: [layers, model].
at::Tensor stacked_deviations(const std::vector<Normalisation>& of_targets);

// deviations: the targets'. dead: the dead features before this step. Where ranks share features,
// model, preactivations, active and dead are this rank's own, outputs and the loss's parts all
// ranks'.
SparseLoss sparse_loss(const Config& config, const Ranks& ranks, SparseOps& ops,
                       const SparseModel& model, const SparseForward& forward,
                       const std::vector<at::Tensor>& targets, const at::Tensor& deviations,
                       const DeadFeatures& dead, std::int64_t step);

}  // namespace stepscope::clt
