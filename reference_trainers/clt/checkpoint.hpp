// SPDX-License-Identifier: Apache-2.0
// What a training run needs to go on as if it had never stopped: every tensor that a step changes,
// and how many steps were made. Batches follow from the seed and that number.
//
// A file (tensor_file.hpp) holds schema, step, seed, batch, rows, and a tensor for each name.
#pragma once

#include <cstdint>
#include <string>

#include "core/support/result.hpp"
#include "reference_trainers/clt/config.hpp"
#include "reference_trainers/clt/trainer.hpp"

namespace stepscope::clt {

// `step`: steps made so far. An Error names the file.
Status write_checkpoint(const std::string& path, const Config& config, const TrainerState& state,
                        std::int64_t step);

// Copies the file's tensors into those of `state`; the steps that had been made. An Error names the
// file and what does not fit, and leaves the tensors as they are.
Result<std::int64_t> read_checkpoint(const std::string& path, const Config& config,
                                     const TrainerState& state);

}  // namespace stepscope::clt
