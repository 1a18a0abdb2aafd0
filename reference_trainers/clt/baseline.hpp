// SPDX-License-Identifier: Apache-2.0
// The reference implementation's training step, its avoidable work included (README.md lists it).
#pragma once

#include <memory>

#include "reference_trainers/clt/config.hpp"
#include "reference_trainers/clt/trainer.hpp"

namespace stepscope::clt {

std::unique_ptr<Trainer> make_baseline(const Config& config, at::Device device);

}  // namespace stepscope::clt
