// SPDX-License-Identifier: Apache-2.0
// The training step: without a fix that of the reference implementation, its avoidable work
// included. It encodes twice a step (once for the features, once inside the loss), ranks by topk
// over a concatenated copy, normalises and copies each layer's rows in the loop, reads four loss
// parts back each step, and evaluates on the training batch with lists on the host. Each fix of the
// configuration takes its part of that away.
#pragma once

#include <memory>

#include "reference_trainers/clt/config.hpp"
#include "reference_trainers/clt/data/activation_store.hpp"
#include "reference_trainers/clt/training/trainer.hpp"
#include "reference_trainers/comm/comm.hpp"

namespace stepscope::clt {

// Checks whether the configuration can be trained on the device.
Status check_device(const Config& config, at::Device device, int ranks);

// Trains as one of the group's ranks, whose rows of each batch the store gives; alone without a
// group, which must outlive the trainer.
std::unique_ptr<Trainer> make_training(const Config& config, at::Device device,
                                       std::unique_ptr<ActivationStore> store,
                                       trainers::Comm* comm = nullptr);

// Trains on made activations.
std::unique_ptr<Trainer> make_training(const Config& config, at::Device device,
                                       trainers::Comm* comm = nullptr);

}  // namespace stepscope::clt
