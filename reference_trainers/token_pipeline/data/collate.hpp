// SPDX-License-Identifier: Apache-2.0
// Two ways to make a batch of samples, which give the same numbers. By concatenation, as a loop
// that appends: each sample copies everything before it once more. In place: every row is written
// once, into memory of the largest batch that there can be, which is used again.
#pragma once

#include <cstdint>

#include "reference_trainers/activation_files/recycled_memory.hpp"
#include "reference_trainers/token_pipeline/data/batch.hpp"

namespace stepscope::token_pipeline {

Batch collate_by_concatenation(const Regions& regions, StepPlan plan);

class InPlaceCollator {
 public:
  InPlaceCollator(const Regions& regions, std::int64_t samples, bool pinned);

  Batch collate(const Regions& regions, StepPlan plan);

 private:
  std::int64_t most_rows_ = 0;
  trainers::RecycledMemory numbers_, features_;
};

}  // namespace stepscope::token_pipeline
