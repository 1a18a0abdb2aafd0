// SPDX-License-Identifier: Apache-2.0
// Which samples a step trains, and where they lie in its batch. Each epoch shuffles all samples
// anew; a step takes the next batch of each rank, in the ranks' order, so that W ranks train what
// one rank trains with W times the batch. Samples that fill no step are left out of the epoch.
#pragma once

#include <cstdint>
#include <vector>

#include "core/support/result.hpp"
#include "reference_trainers/token_pipeline/config.hpp"
#include "reference_trainers/token_pipeline/data/regions.hpp"

namespace stepscope::token_pipeline {

// Samples that are trained together, padded to the longest of them.
struct Part {
  std::int64_t first_sample = 0, samples = 0;  // in the plan
  std::int64_t first_row = 0, rows = 0;        // in the packed batch
  std::int64_t longest = 0;
};

struct StepPlan {
  std::vector<std::int64_t> samples;
  std::vector<Part> parts;
  std::int64_t rows = 0;
};

// Plans the samples as they come in one part; in more, sorted by length and cut into parts of equal
// count.
StepPlan plan_step(const Regions& regions, std::vector<std::int64_t> samples, std::int64_t parts);

class SampleOrder {
 public:
  // An Error where there are too few samples for one step.
  static Result<SampleOrder> make(const Config& config, const Regions& regions);

  std::int64_t steps_of_epoch() const { return steps_of_epoch_; }
  // Returns the samples that one rank, or all ranks, train in a step.
  std::vector<std::int64_t> samples_of(std::int64_t step, int rank);
  std::vector<std::int64_t> samples_of(std::int64_t step);

 private:
  std::vector<std::int64_t> range(std::int64_t step, std::int64_t begin, std::int64_t count);

  std::uint64_t seed_ = 0;
  std::int64_t samples_ = 0, of_rank_ = 0, of_step_ = 0, steps_of_epoch_ = 0;
  std::int64_t epoch_ = -1;
  std::vector<std::int64_t> order_;  // order of samples in that epoch
};

}  // namespace stepscope::token_pipeline
