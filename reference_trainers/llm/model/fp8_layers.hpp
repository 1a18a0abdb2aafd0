// SPDX-License-Identifier: Apache-2.0
// State of the rung fp8 for a model's matrices: codes of each weight, made once a step, and the
// scales of what each is multiplied with. All of it keeps its place in memory, so that a step can
// be recorded; nothing is read by the host.
//
// With delayed scaling the first step of a run measures each tensor by a pass of its own.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/custom_class.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "reference_trainers/llm/model/fp8_matrix.hpp"

namespace stepscope::llm {

struct Config;
struct Weights;

struct Fp8Mode {
  bool scales_known = false;        // this step's, before its numbers are
  bool fast_gradient_sums = false;  // on a GPU
};

// One matrix [outputs, inputs], with the tensors of its products.
struct Fp8Site final : torch::CustomClassHolder {
  at::Tensor weight;
  Fp8Slot of_weight, of_input, of_gradient;
  Fp8Matrix codes;  // codes of the weight
  std::shared_ptr<const Fp8Mode> mode;

  Fp8Matrix quantised(const Fp8Slot& slot, const at::Tensor& rows) const {
    return mode->scales_known ? quantised_by(slot, rows) : quantised_by_itself(slot, rows);
  }
};
using Fp8SitePtr = c10::intrusive_ptr<Fp8Site>;

// Sites of one layer; null without the rung.
struct Fp8Sites {
  Fp8SitePtr query_key_value, attention_output, gate_up, down;
};

class Fp8Layers {
 public:
  // Gives the layers of `weights` their sites.
  Fp8Layers(const Config& config, Weights& weights);

  // The output matrix's, with fp8_head.
  const Fp8SitePtr& head() const { return head_; }

  // Makes the step's scales and the codes of its weights. `over_ranks` takes the greatest of all
  // ranks' numbers, in place, and may be empty.
  void begin_step(const std::function<void(const at::Tensor&)>& over_ranks);

  // Makes the greatest numbers that were seen since then the same on all ranks.
  void agree(const std::function<void(const at::Tensor&)>& over_ranks) const {
    if (over_ranks) over_ranks(of_steps_.amaxes());
  }

  // Returns what a run that goes on needs, by name; with current scaling nothing.
  std::vector<std::pair<std::string, at::Tensor>> state() const;
  // Called after a copy into the state; the host reads from the device.
  void restored();

 private:
  Fp8SitePtr add_site(const at::Tensor& weight);

  const bool current_scaling_;
  std::vector<Fp8SitePtr> sites_;
  Fp8SitePtr head_;
  std::shared_ptr<Fp8Mode> mode_;
  Fp8Scales of_weights_, of_steps_;  // of_steps_: input and gradient of each site
  bool measured_ = false;            // a step has been made
};

}  // namespace stepscope::llm
