// SPDX-License-Identifier: Apache-2.0
// Ranks of several machines could each find another folder under the same name: then their batches
// would differ, and no loss would show it.
#pragma once

#include "reference_trainers/clt/data/activation_store.hpp"
#include "reference_trainers/comm/comm.hpp"

namespace stepscope::clt {

// A call of all ranks. The rows, the stores' own descriptions, and the normalisation of the
// targets: measured ones may differ by rounding. Made activations follow from the seed.
Status check_same_activations(const Config& config, trainers::Comm& comm,
                              const ActivationStore& store);

}  // namespace stepscope::clt
