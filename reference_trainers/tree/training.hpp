// SPDX-License-Identifier: Apache-2.0
// The training step on one path, and the evaluation on all.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "reference_trainers/common/adam.hpp"
#include "reference_trainers/common/step_graph.hpp"
#include "reference_trainers/tree/credit.hpp"
#include "reference_trainers/tree/sequences.hpp"

namespace stepscope::tree {

class Training {
 public:
  Training(const Config& config, at::Device device);

  // The losses of all steps since the last one that was given, where this step reads them.
  std::vector<double> step(std::int64_t index, std::int64_t leaf, const at::Tensor& sequences);
  // The mean loss over held-out sequences of all domains.
  double evaluate(const Sequences& sequences);

  const Model& model() const { return model_; }

 private:
  struct Recorded {
    std::unique_ptr<trainers::StepGraph> graph;
    at::Tensor sequences, loss;
    int plain_steps = 0;  // before it is recorded
  };

  at::Tensor train_on(const at::Tensor& sequences, std::int64_t leaf);
  at::Tensor launch(Recorded& recorded, const at::Tensor& sequences, std::int64_t leaf);
  at::Tensor loss_of(const at::Tensor& sequences, std::int64_t leaf) const;

  const Config config_;
  const at::Device device_;
  Model model_;
  trainers::Adam shared_;
  std::vector<trainers::Adam> of_nodes_;
  std::map<std::int64_t, Recorded> recorded_;  // by leaf, with cuda_graph
  std::vector<at::Tensor> unread_;             // losses
};

}  // namespace stepscope::tree
