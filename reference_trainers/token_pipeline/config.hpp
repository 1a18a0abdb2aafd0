// SPDX-License-Identifier: Apache-2.0
// Sizes of the model and of the data, and settings of one run.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/support/result.hpp"
#include "reference_trainers/common/program/rank_run.hpp"
#include "reference_trainers/token_pipeline/fixes.hpp"

namespace stepscope::token_pipeline {

// An encoder of tokens that carry a dense vector each, with a class for a sample.
struct Shape {
  std::int64_t layers = 2;
  std::int64_t d_model = 32;
  std::int64_t heads = 4;
  std::int64_t hidden = 64;  // width of the feed-forward part
  std::int64_t vocabulary = 256;
  std::int64_t features = 16;  // numbers of a token's dense vector
  std::int64_t classes = 4;
};

// The data that the trainer makes itself.
struct MadeSizes {
  std::int64_t samples = 256;
  std::int64_t shortest_region = 9, longest_region = 27;  // tokens
};

struct Preset {
  const char* name;
  const char* summary;
  Shape shape;
  MadeSizes made;
  std::int64_t batch;
  double learning_rate;
};

std::span<const Preset> all_presets();

struct Config {
  std::string preset = "tiny";
  Shape shape;
  Fixes fixes;

  std::int64_t batch = 16;          // samples a step, of each rank, without larger_batch
  std::int64_t longest_sample = 0;  // tokens that the model takes; 0: 3 * made.longest_region
  std::int64_t workers = 0;  // a rank's worker threads; 0: 3, and 8 with the fix of that name
  std::int64_t buckets = 4;  // parts of a batch with bucketing

  std::int64_t steps = 100;
  std::int64_t warm_up = 3;     // first steps that the rates leave out
  std::int64_t log_every = 10;  // steps; 0: the first and the last
  double learning_rate = 3e-3;
  bool tf32 = true;  // for a GPU's matrix products in float32

  std::string data;        // file of regions; empty: made ones
  std::string write_data;  // file to write the made regions to, in place of training
  MadeSizes made;

  trainers::Machine machine;
  std::int64_t bucket_mb = 25;  // size of gradients that one call sums over the ranks
  int rank = 0, ranks = 1;      // as the launcher says

  std::uint64_t seed = 0;

  std::int64_t samples_of_rank() const { return fixes.larger_batch ? 2 * batch : batch; }
  std::int64_t samples_a_step() const { return samples_of_rank() * ranks; }
  std::int64_t positions() const {
    return longest_sample > 0 ? longest_sample : 3 * made.longest_region;
  }
  std::int64_t worker_count() const { return workers > 0 ? workers : fixes.workers ? 8 : 3; }
  std::int64_t parts_of_batch() const { return fixes.bucketing ? buckets : 1; }
};

// Takes over the preset's sizes.
void use_preset(Config& config, const Preset& preset);

// Whether a line is printed behind the step of that index.
bool logs(const Config& config, std::int64_t index);

// Values that do not fit each other.
Status check(const Config& config);

}  // namespace stepscope::token_pipeline
