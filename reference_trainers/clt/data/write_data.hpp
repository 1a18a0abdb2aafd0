// SPDX-License-Identifier: Apache-2.0
// Writes the activations that a run would make to a folder that --data reads.
#pragma once

#include "core/support/result.hpp"
#include "reference_trainers/clt/config.hpp"
#include "reference_trainers/clt/run.hpp"

namespace stepscope::clt {

Status write_data(const Config& config, const Say& say);

}  // namespace stepscope::clt
