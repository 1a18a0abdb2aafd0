// SPDX-License-Identifier: Apache-2.0
// The state that a training run needs to go on as if it had never stopped: every tensor that a step
// changes, and how many steps were made. Batches follow from the seed and that number.
//
// A file (common/tensor_file.hpp) holds schema, step, layers, features, d_model, seed, batch, rows,
// fixes (names, with commas), rank, ranks, set, and a tensor for each name of Trainer::state():
// silent_steps; of the dense step parameter.N, first_moment.N and second_moment.N, in the order of
// Model::parameters(); of sparse_step PART.parameters, PART.first_moments, PART.second_moments
// (sparse_model.hpp), and of moments_8bit PART.scales, the moments being codes.
//
// Ranks that share features write a file each (checkpoint_files.hpp). None is renamed before all
// are on the disk; a mixture left by a crash between two renames is recognised by `set`, which
// differs from one writing to the next.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/support/result.hpp"
#include "reference_trainers/clt/config.hpp"
#include "reference_trainers/clt/training/trainer.hpp"

namespace stepscope::clt {

struct CheckpointPart {
  int rank = 0, ranks = 1;  // number of this file's rank, and of ranks that write a file each
  std::int64_t set = 0;
  std::function<void()> all_on_disk;  // returns when every rank's file is; empty for one

  std::string path_of(const std::string& checkpoint) const;
};

// `step`: steps made so far. An Error names the file.
Status write_checkpoint(const std::string& path, const Config& config, const TrainerState& state,
                        std::int64_t step, const CheckpointPart& part = {});

struct ReadCheckpoint {
  std::int64_t step = 0, set = 0;
};

// Copies the file's tensors into those of `state`. An Error names the file and what does not fit,
// and leaves the tensors as they are.
Result<ReadCheckpoint> read_part(const std::string& path, const Config& config,
                                 const TrainerState& state, const CheckpointPart& part);
// Reads the only file of a run; returns the steps that had been made.
Result<std::int64_t> read_checkpoint(const std::string& path, const Config& config,
                                     const TrainerState& state);

}  // namespace stepscope::clt
