// SPDX-License-Identifier: Apache-2.0
// Batches in host memory, made by worker threads and given out in the order of the steps. As with
// LibTorch's DataLoader each worker has a copy of the data of its own, and makes at most two
// batches ahead. Workers end with their epoch, and the next one starts others, or they stay.
#pragma once

#include <memory>

#include "core/support/result.hpp"
#include "reference_trainers/token_pipeline/data/batch.hpp"
#include "reference_trainers/token_pipeline/data/collate.hpp"

namespace stepscope::token_pipeline {

class BatchWorkers {
 public:
  // Makes batches for the steps of a run, from the first. `regions` must outlive this. Pinned
  // memory needs a GPU.
  BatchWorkers(const Config& config, const Regions& regions, const SampleOrder& order, bool gpu);
  ~BatchWorkers();
  BatchWorkers(const BatchWorkers&) = delete;
  BatchWorkers& operator=(const BatchWorkers&) = delete;

  // Returns the batch of the next step. An Error says that a worker ran out of memory.
  Result<Batch> next();

 private:
  class Crew;

  const Config config_;
  const Regions& regions_;
  const SampleOrder order_;
  const bool gpu_;
  std::int64_t next_ = 0;
  std::unique_ptr<Crew> crew_;
};

// Makes a step's batch as a worker of this configuration does.
class BatchMaker {
 public:
  BatchMaker(const Config& config, const Regions& regions, const SampleOrder& order, bool gpu);
  Batch make(std::int64_t step);

 private:
  const Config& config_;
  const Regions& regions_;
  SampleOrder order_;
  const bool pinned_;
  InPlaceCollator collator_;
};

}  // namespace stepscope::token_pipeline
