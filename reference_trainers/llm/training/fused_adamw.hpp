// SPDX-License-Identifier: Apache-2.0
// AdamW over all parameters in one call of ATen's for those that decay and one for the others.
#pragma once

#include "reference_trainers/llm/training/adamw.hpp"

namespace stepscope::llm {

class FusedAdamW : public AdamW {
 public:
  FusedAdamW(
      std::vector<Parameter> parameters, const Config& config,
      const InFloat& in_float = [](const Parameter&) { return true; });

  void set_learning_rate(double rate) override;
  at::Tensor clip_and_step() override;
  void set_steps(std::int64_t steps) override;

 protected:
  // Updates the parameters whose moments are kept elsewhere, with all gradients and their divisor.
  virtual void update_others(const std::vector<at::Tensor>& /*gradients*/,
                             const at::Tensor& /*divisor*/) {}

  double rate_ = 0;
  at::Tensor device_rate_;  // only on a GPU, whose kernels read the rate there

 private:
  struct Group {
    std::vector<std::size_t> places;  // indices in parameters_
    std::vector<at::Tensor> weights, means, squares, steps;
  };

  void update(Group& group, const std::vector<at::Tensor>& all, double weight_decay,
              const at::Tensor& divisor);

  Group groups_[2];
};

}  // namespace stepscope::llm
