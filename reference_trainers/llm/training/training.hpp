// SPDX-License-Identifier: Apache-2.0
// The training step: micro-batches forward and backward, the clip, AdamW. Losses and gradient norms
// are kept on the device for every step; the host reads them each step (as the guides' loop does
// for its log line) or, with fused_adamw, where a line is printed.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/support/result.hpp"
#include "reference_trainers/llm/config.hpp"
#include "reference_trainers/llm/data/batch_feed.hpp"
#include "reference_trainers/llm/model/model.hpp"
#include "reference_trainers/llm/training/adamw.hpp"
#include "reference_trainers/llm/training/step_graph.hpp"

namespace stepscope::llm {

struct StepLog {
  std::int64_t index = 0;  // from 0
  double loss = 0, gradient_norm = 0;
};

class Training {
 public:
  Training(const Config& config, at::Device device);

  // Before the first step: its number, and what gives its batches and those behind it.
  void begin_at(std::int64_t first_step, std::unique_ptr<BatchFeed> feed);

  // Steps run in order. The log of all steps since the last one that was given, where this step
  // reads it; else empty. An Error: the step's data could not be read.
  Result<std::vector<StepLog>> step(std::int64_t index);

  std::vector<std::pair<std::string, at::Tensor>> state() const { return optimizer_->state(); }

 private:
  struct Numbers {
    at::Tensor loss, norm;
  };
  Result<std::vector<Batch>> next_batches();
  // Enqueues the step; gives its numbers.
  Numbers train_on(const std::vector<Batch>& batches);
  Numbers launch_graph(const std::vector<Batch>& batches);
  std::vector<StepLog> read_log(std::int64_t index);

  const Config config_;
  const at::Device device_;
  Model model_;
  std::unique_ptr<AdamW> optimizer_;
  std::unique_ptr<BatchFeed> feed_;
  // With cuda_graph, from its fourth step on.
  std::unique_ptr<StepGraph> graph_;
  std::vector<Batch> in_graph_;
  Numbers of_graph_;
  std::int64_t plain_steps_ = 0;

  std::int64_t unread_ = 0;        // first step whose numbers the host has not read
  std::vector<at::Tensor> noted_;  // of each since then: loss and norm
};

}  // namespace stepscope::llm
