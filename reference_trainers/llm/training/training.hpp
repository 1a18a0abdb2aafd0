// SPDX-License-Identifier: Apache-2.0
// The training step: micro-batches forward and backward, the clip, AdamW. Losses and gradient norms
// are kept on the device for every step; the host reads them each step (as the guides' loop does
// for its log line) or, with fused_adamw, where a line is printed.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/support/result.hpp"
#include "reference_trainers/comm/comm.hpp"
#include "reference_trainers/comm/gradient_buckets.hpp"
#include "reference_trainers/common/step_graph.hpp"
#include "reference_trainers/llm/config.hpp"
#include "reference_trainers/llm/data/batch_feed.hpp"
#include "reference_trainers/llm/model/model.hpp"
#include "reference_trainers/llm/ranks/weight_shards.hpp"
#include "reference_trainers/llm/training/adamw.hpp"

namespace stepscope::llm {

struct StepLog {
  std::int64_t index = 0;  // from 0
  double loss = 0, gradient_norm = 0;
};

class Training {
 public:
  // `group`: the ranks' group, which must outlive this; null: one rank.
  Training(const Config& config, at::Device device, trainers::Comm* group = nullptr);

  // Sets, before the first step, its number and the source of its batch and later ones.
  void begin_at(std::int64_t first_step, std::unique_ptr<BatchFeed> feed);

  // Steps run in order. The log of all steps since the last one that was given, where this step
  // reads it; else empty. An Error: the step's data could not be read.
  Result<std::vector<StepLog>> step(std::int64_t index);

  // Returns what steps change, by name, the same for every number of ranks, which call this
  // together. Where ranks share it these are copies.
  NamedTensors state() const;
  // Gives `read` a place for each tensor of the state, and takes over what it put there.
  Result<std::int64_t> restore(
      const std::function<Result<std::int64_t>(const NamedTensors&)>& read) const;
  // Returns the parameters, with the gradients of the last step until the next one.
  const std::vector<Parameter>& parameters() const { return model_.parameters(); }
  const GradientBuckets* buckets() const { return buckets_.get(); }

 private:
  struct Numbers {
    at::Tensor loss, norm;
  };
  Result<std::vector<Batch>> next_batches();
  // Enqueues the step; gives its numbers.
  Numbers train_on(const std::vector<Batch>& batches);
  Numbers launch_graph(const std::vector<Batch>& batches);
  // Sums the losses of several ranks, each a part of the step's: noted_ then holds the step's.
  void sum_losses();
  void zero_gradients();
  void begin_step();
  // Returns what takes the greatest of all ranks' numbers in place; empty in a run of one rank.
  std::function<void(const at::Tensor&)> greatest_of_ranks() const;
  // Adds what scales of 8 bits follow from.
  NamedTensors with_scales(NamedTensors state) const;
  std::vector<StepLog> read_log(std::int64_t index);

  const Config config_;
  const at::Device device_;
  trainers::Comm* const group_;
  Model model_;
  // Only with several ranks; shards_ only with ZeRO-1.
  std::unique_ptr<GradientBuckets> buckets_;
  std::unique_ptr<WeightShards> shards_;
  std::unique_ptr<AdamW> optimizer_;
  std::unique_ptr<BatchFeed> feed_;
  // With cuda_graph, from its fourth step on.
  std::unique_ptr<trainers::StepGraph> graph_;
  std::vector<Batch> in_graph_;
  Numbers of_graph_;
  std::int64_t plain_steps_ = 0;

  std::int64_t unread_ = 0;        // first step whose numbers the host has not read
  std::vector<at::Tensor> noted_;  // loss and norm of each step since then
};

}  // namespace stepscope::llm
