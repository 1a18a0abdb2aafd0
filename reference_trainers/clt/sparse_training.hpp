// SPDX-License-Identifier: Apache-2.0
// The training step on lists of active features: forward and backward are written out, so that no
// dense activation is needed and, with sparse_adam, no gradient of the decoder (fix sparse_step).
#pragma once

#include <c10/core/Device.h>

#include <memory>

#include "reference_trainers/clt/activation_store.hpp"
#include "reference_trainers/clt/config.hpp"
#include "reference_trainers/clt/sparse_ops.hpp"
#include "reference_trainers/clt/trainer.hpp"

namespace stepscope::clt {

std::unique_ptr<Trainer> make_sparse_training(const Config& config, at::Device device,
                                              std::unique_ptr<SparseOps> ops,
                                              std::unique_ptr<ActivationStore> store);

}  // namespace stepscope::clt
