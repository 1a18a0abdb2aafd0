// SPDX-License-Identifier: Apache-2.0
// Batches on the device, in the order of the steps. A batch is copied when it is asked for, or with
// prefetch two steps before that, on a stream of its own.
#pragma once

#include <deque>

#include "reference_trainers/common/copy_ahead.hpp"
#include "reference_trainers/token_pipeline/data/batch_workers.hpp"

namespace stepscope::token_pipeline {

class BatchFeed {
 public:
  // `regions` must outlive this.
  BatchFeed(const Config& config, const Regions& regions, const SampleOrder& order,
            at::Device device);

  Result<Batch> next();

 private:
  struct Coming {
    Batch batch;
    trainers::CopyAhead::Copy numbers, features;
  };

  Result<Batch> next_on_host();
  Status begin_copies();

  const Config config_;
  const at::Device device_;
  BatchWorkers workers_;
  trainers::CopyAhead copies_;
  std::deque<Coming> coming_;
  std::int64_t taken_ = 0;  // batches from the workers
};

}  // namespace stepscope::token_pipeline
