// SPDX-License-Identifier: Apache-2.0
// One training run, a step at a time. Each variant implements it; all variants compute the same
// losses from the same seed, up to rounding.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/support/result.hpp"
#include "reference_trainers/clt/data/activation_store.hpp"
#include "reference_trainers/clt/training/metrics.hpp"

namespace stepscope::clt {

struct Losses {
  double total = 0, reconstruction = 0, sparsity = 0, preactivation = 0, auxiliary = 0;
};

struct StepResult {
  std::optional<Losses> losses;    // where they were read: always at the first and the last step
  std::optional<Metrics> metrics;  // where the step evaluated
};

// The tensors themselves, by name: copying into them restores a run.
using TrainerState = std::vector<std::pair<std::string, at::Tensor>>;

class Trainer {
 public:
  Trainer() = default;
  virtual ~Trainer() = default;
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  // Steps are numbered from 0 and run in order. An Error: the step's data could not be read.
  virtual Result<StepResult> step(std::int64_t index) = 0;

  virtual std::int64_t parameter_count() const = 0;

  // Everything that steps change, but where in the data the run is.
  virtual TrainerState state() = 0;
  // After the state was restored: so many steps were made. Before the first step.
  virtual void resume_at(std::int64_t step) = 0;

  // The quantities by which a finished run is measured, without gradients. Where ranks share
  // features, their own columns.
  virtual ActivationStore& store() = 0;
  // Returns the preactivations of normalised inputs, a layer's columns side by side: [batch, layers
  // * features].
  virtual at::Tensor preactivations(const std::vector<at::Tensor>& inputs) = 0;
  // Returns the reconstructions from activations in that order: a layer each, [batch, d_model].
  virtual std::vector<at::Tensor> reconstructions(const at::Tensor& activations) = 0;
};

}  // namespace stepscope::clt
