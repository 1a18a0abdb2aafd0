// SPDX-License-Identifier: Apache-2.0
// Sizes and settings of one run. Defaults are the CPU demo: steps of tens of milliseconds on two
// cores.
#pragma once

#include <c10/core/ScalarType.h>

#include <cstdint>
#include <string>

#include "core/support/result.hpp"
#include "reference_trainers/clt/fixes.hpp"
#include "reference_trainers/common/device.hpp"
#include "reference_trainers/common/slow_rank.hpp"

namespace stepscope::clt {

// What several ranks share among them (ranks.hpp).
enum class Parallel { features, data };

struct Config {
  std::string variant = "baseline";
  Fixes fixes;  // the variant's, with those that were switched

  std::int64_t layers = 4;
  std::int64_t features = 1024;  // a layer
  std::int64_t d_model = 128;
  std::int64_t batch = 256;  // tokens a step
  std::int64_t k = 32;       // active features a token, over all layers
  // Above 1: what the reference selects on so many ranks instead, for comparison.
  std::int64_t hierarchical_ranks = 1;
  std::int64_t rows = 8192;  // tokens of the made activation set; with `data`, of that

  std::string data;        // folder of activations to train on; empty: made ones
  std::string write_data;  // folder to write the made activations to, in place of training
  at::ScalarType write_type = at::kFloat;
  std::int64_t chunk_rows = 0;  // a file, where they are written; 0: all

  std::int64_t steps = 300;
  std::int64_t warm_up = 1;        // first steps that the rate leaves out
  std::int64_t eval_every = 50;    // 0: never
  std::int64_t dead_window = 100;  // a feature is dead after this many steps without firing
  double learning_rate = 1e-3;
  double sparsity_lambda = 0;  // off: BatchTopK fixes the sparsity already
  double sparsity_c = 1;
  double preactivation_coef =
      0;                   // the reference uses 3e-6 with ReLU; any value costs a third encode
  std::int64_t aux_k = 0;  // dead features a token and layer that rebuild the residual; 0: none
  double aux_k_coef = 1.0 / 32;

  std::string checkpoint;             // file to write; empty: none
  std::int64_t checkpoint_every = 0;  // steps; 0: at the end only
  std::string resume;                 // file to go on from; empty: from the start

  std::string to_jump_relu;             // file of thresholds to write at the end; empty: none
  std::int64_t jump_relu_batches = 16;  // batches on which the thresholds are found

  bool tf32 = false;  // matrix products of fp32 on tensor cores, with 10 bits of mantissa

  int nproc = 1;  // ranks
  Parallel parallel = Parallel::features;
  int rank_timeout_s = 120;  // how long ranks wait for one that does not come to a call

  std::uint64_t seed = 0;
  int threads =
      1;  // repeatable to the bit, and leaves the other cores to a profiler; 0: LibTorch's choice
  trainers::DeviceWish device = trainers::DeviceWish::automatic;
  trainers::SlowRank slow;  // planted on purpose
};

// Whether the run evaluates behind the step of that index, from 0.
bool evaluates(const Config& config, std::int64_t index);

// Whether late_readback reads the losses of that step: where a line is printed.
bool reads_late(const Config& config, std::int64_t index);

// Refuses values that are each in their range but do not fit each other.
Status check(const Config& config);

}  // namespace stepscope::clt
