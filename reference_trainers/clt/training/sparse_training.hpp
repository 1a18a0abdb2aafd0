// SPDX-License-Identifier: Apache-2.0
// The training step on lists of active features: forward and backward are written out, so that no
// dense activation is needed and, with sparse_adam, no gradient of the decoder (fix sparse_step).
#pragma once

#include <c10/core/Device.h>

#include <memory>

#include "reference_trainers/clt/config.hpp"
#include "reference_trainers/clt/data/activation_store.hpp"
#include "reference_trainers/clt/model/sparse_ops.hpp"
#include "reference_trainers/clt/training/trainer.hpp"

namespace stepscope::clt {

// Makes the trainer with kernels/ in the parts whose fixes are on, where the device is a GPU. Ranks
// share features; the group must outlive the trainer.
std::unique_ptr<Trainer> make_sparse_training(const Config& config, at::Device device,
                                              std::unique_ptr<ActivationStore> store,
                                              trainers::Comm& comm);

}  // namespace stepscope::clt
