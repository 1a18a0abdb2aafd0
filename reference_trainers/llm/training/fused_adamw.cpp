// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/llm/training/fused_adamw.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_foreach_norm.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>

#include <stepscope/annotate.hpp>

namespace stepscope::llm {

FusedAdamW::FusedAdamW(std::vector<Parameter> parameters, const Config& config,
                       const InFloat& in_float)
    : AdamW(std::move(parameters), config, in_float) {
  const at::Device device = parameters_.front().tensor.device();
  if (device.is_cuda()) device_rate_ = at::zeros({}, at::TensorOptions(at::kFloat).device(device));
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (!means_[i].defined()) continue;
    Group& group = groups_[parameters_[i].decays ? 0 : 1];
    group.places.push_back(i);
    group.weights.push_back(parameters_[i].tensor);
    group.means.push_back(means_[i]);
    group.squares.push_back(squares_[i]);
    group.steps.push_back(at::zeros({}, at::TensorOptions(at::kFloat).device(device)));
  }
}

void FusedAdamW::set_learning_rate(double rate) {
  const at::NoGradGuard no_grad;
  rate_ = rate;
  if (device_rate_.defined()) device_rate_.fill_(rate);
}

at::Tensor FusedAdamW::clip_and_step() {
  const at::NoGradGuard no_grad;
  const auto phase = stepscope::phase("optimizer");
  const std::vector<at::Tensor> all = gradients();
  const at::Tensor norm =
      over_ranks(at::linalg_vector_norm(at::stack(at::_foreach_norm(all, 2, at::kFloat))));
  const at::Tensor divisor = (norm / clip_).clamp_min_(1);
  update(groups_[0], all, weight_decay_, divisor);
  update(groups_[1], all, 0, divisor);
  update_others(all, divisor);
  refresh_copies();
  return norm;
}

void FusedAdamW::set_steps(std::int64_t steps) {
  for (Group& group : groups_)
    for (at::Tensor& step : group.steps) step.fill_(steps);
}

void FusedAdamW::update(Group& group, const std::vector<at::Tensor>& all, double weight_decay,
                        const at::Tensor& divisor) {
  if (group.places.empty()) return;
  std::vector<at::Tensor> gradients;
  for (const std::size_t place : group.places) gradients.push_back(all[place]);
  at::_foreach_add_(group.steps, 1);
  const auto adamw = [&](const auto& rate) {
    at::_fused_adamw_(group.weights, gradients, group.means, group.squares, {}, group.steps, rate,
                      kBeta1, kBeta2, weight_decay, kEpsilon, /*amsgrad=*/false,
                      /*maximize=*/false, divisor);
  };
  device_rate_.defined() ? adamw(device_rate_) : adamw(rate_);
}

}  // namespace stepscope::llm
