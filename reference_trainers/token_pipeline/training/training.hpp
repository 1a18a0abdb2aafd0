// SPDX-License-Identifier: Apache-2.0
// The training step: each part of the batch forward and backward, gradients summed over the ranks
// beside the backward pass, Adam. Losses stay on the device until a line is printed.
#pragma once

#include <memory>
#include <vector>

#include "reference_trainers/comm/comm.hpp"
#include "reference_trainers/comm/gradient_buckets.hpp"
#include "reference_trainers/common/adam.hpp"
#include "reference_trainers/token_pipeline/model/model.hpp"

namespace stepscope::token_pipeline {

struct StepLoss {
  std::int64_t index = 0;  // from 0
  double loss = 0;         // mean over all ranks' samples
};

class Training {
 public:
  // The group must outlive this.
  Training(const Config& config, at::Device device, trainers::Comm& group);

  // Steps run in order. The losses of all steps since the last one that was given, where this step
  // reads them; else nothing.
  std::vector<StepLoss> step(std::int64_t index, const Batch& batch);

  std::int64_t parameters() const;
  // Returns the weights, with the gradients of the last step.
  const Weights& weights() const { return model_.weights(); }

 private:
  at::Tensor train_on(const Batch& batch);
  std::vector<StepLoss> read_losses(std::int64_t index);

  const Config config_;
  trainers::Comm& group_;
  Model model_;
  trainers::Adam optimizer_;
  std::unique_ptr<trainers::GradientBuckets> buckets_;  // only with several ranks
  std::vector<at::Tensor> unread_;                      // losses
};

}  // namespace stepscope::token_pipeline
