// SPDX-License-Identifier: Apache-2.0
// What a run needs to go on as if it had never stopped: weights and moments by name (adamw.hpp),
// and how many steps were made; batches follow from the seed and that number (token_stream.hpp).
//
// A file (common/tensor_file.hpp) holds schema, step, seed, sequence, sequences_a_step, rungs
// (names, with commas) and the tensors. It is of the whole run, whatever number of ranks wrote it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/support/result.hpp"
#include "reference_trainers/llm/config.hpp"

namespace stepscope::llm {

using TrainingState = std::vector<std::pair<std::string, at::Tensor>>;

Status write_checkpoint(const std::string& path, const Config& config, const TrainingState& state,
                        std::int64_t steps);

// Copies the file's tensors into those of `state`; gives the steps that had been made. An Error
// names the file and what does not fit, and leaves the tensors as they are.
Result<std::int64_t> read_checkpoint(const std::string& path, const Config& config,
                                     const TrainingState& state);

}  // namespace stepscope::llm
