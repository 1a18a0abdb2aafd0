// SPDX-License-Identifier: Apache-2.0
// The parts of a step's loss on the device, and how they are read.
#pragma once

#include <ATen/core/Tensor.h>

#include "reference_trainers/clt/training/trainer.hpp"

namespace stepscope::clt {

// Undefined where the configuration leaves a part out.
struct LossParts {
  at::Tensor reconstruction, sparsity, preactivation, auxiliary, total;
};

// Each part waits for the device, as the reference logs them.
Losses read_one_by_one(const LossParts& parts);

// One copy for all that are defined.
Losses read_together(const LossParts& parts);

}  // namespace stepscope::clt
