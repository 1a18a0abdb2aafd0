// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/llm/training/adamw.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_foreach_copy.h>
#include <ATen/ops/_foreach_norm.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cmath>
#include <stepscope/annotate.hpp>

namespace stepscope::llm {
namespace {

constexpr double kBeta1 = 0.9, kBeta2 = 0.95, kEpsilon = 1e-8;

class OneByOneAdamW final : public AdamW {
 public:
  using AdamW::AdamW;

  void set_learning_rate(double rate) override { rate_ = rate; }

  at::Tensor clip_and_step() override {
    const at::NoGradGuard no_grad;
    const std::vector<at::Tensor> all = gradients();
    const at::Tensor norm = clip(all);
    const auto phase = stepscope::phase("optimizer");
    ++steps_;
    for (std::size_t i = 0; i < parameters_.size(); ++i) update(i, all[i]);
    refresh_copies();
    return norm;
  }

  void set_steps(std::int64_t steps) override { steps_ = steps; }

 private:
  at::Tensor clip(const std::vector<at::Tensor>& all) {
    const auto phase = stepscope::phase("clip");
    std::vector<at::Tensor> norms;
    for (const at::Tensor& gradient : all) norms.push_back(at::linalg_vector_norm(gradient));
    const double norm = at::linalg_vector_norm(at::stack(norms)).item<double>();
    if (norm > clip_) {
      for (const at::Tensor& gradient : all) gradient.mul_(clip_ / norm);
    }
    return at::tensor(norm, at::TensorOptions(at::kFloat));
  }

  void update(std::size_t i, const at::Tensor& gradient) {
    const at::Tensor& weights = parameters_[i].tensor;
    const auto t = static_cast<double>(steps_);
    const double mean_bias = 1 - std::pow(kBeta1, t), square_bias = 1 - std::pow(kBeta2, t);
    if (parameters_[i].decays()) weights.mul_(1 - rate_ * weight_decay_);
    means_[i].mul_(kBeta1).add_(gradient, 1 - kBeta1);
    squares_[i].mul_(kBeta2).addcmul_(gradient, gradient, 1 - kBeta2);
    const at::Tensor deviation = squares_[i].sqrt().div_(std::sqrt(square_bias)).add_(kEpsilon);
    weights.addcdiv_(means_[i], deviation, -rate_ / mean_bias);
  }

  std::int64_t steps_ = 0;
  double rate_ = 0;
};

// Parameters that decay and those that do not are a call each.
class FusedAdamW final : public AdamW {
 public:
  FusedAdamW(std::vector<Parameter> parameters, const Config& config)
      : AdamW(std::move(parameters), config) {
    const at::Device device = parameters_.front().tensor.device();
    if (device.is_cuda())
      device_rate_ = at::zeros({}, at::TensorOptions(at::kFloat).device(device));
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      Group& group = groups_[parameters_[i].decays() ? 0 : 1];
      group.places.push_back(i);
      group.weights.push_back(parameters_[i].tensor);
      group.means.push_back(means_[i]);
      group.squares.push_back(squares_[i]);
      group.steps.push_back(
          at::zeros({}, at::TensorOptions(at::kFloat).device(parameters_[i].tensor.device())));
    }
  }

  // On a GPU the kernels read it there.
  void set_learning_rate(double rate) override {
    const at::NoGradGuard no_grad;
    rate_ = rate;
    if (device_rate_.defined()) device_rate_.fill_(rate);
  }

  at::Tensor clip_and_step() override {
    const at::NoGradGuard no_grad;
    const auto phase = stepscope::phase("optimizer");
    const std::vector<at::Tensor> all = gradients();
    const at::Tensor norm = at::linalg_vector_norm(at::stack(at::_foreach_norm(all)));
    const at::Tensor divisor = (norm / clip_).clamp_min_(1);
    update(groups_[0], all, weight_decay_, divisor);
    update(groups_[1], all, 0, divisor);
    refresh_copies();
    return norm;
  }

  void set_steps(std::int64_t steps) override {
    for (Group& group : groups_)
      for (at::Tensor& step : group.steps) step.fill_(steps);
  }

 private:
  struct Group {
    std::vector<std::size_t> places;  // of parameters_
    std::vector<at::Tensor> weights, means, squares, steps;
  };

  void update(Group& group, const std::vector<at::Tensor>& all, double weight_decay,
              const at::Tensor& divisor) {
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

  double rate_ = 0;
  at::Tensor device_rate_;  // of a GPU
  Group groups_[2];
};

}  // namespace

AdamW::AdamW(std::vector<Parameter> parameters, const Config& config)
    : parameters_(std::move(parameters)), weight_decay_(config.weight_decay), clip_(config.clip) {
  for (const Parameter& parameter : parameters_) {
    means_.push_back(at::zeros_like(parameter.tensor).detach());
    squares_.push_back(at::zeros_like(parameter.tensor).detach());
    if (!parameter.is_copy()) continue;
    leaves_.push_back(parameter.leaf.detach());
    masters_.push_back(parameter.tensor.detach());
    wide_gradients_.push_back(at::zeros_like(parameter.tensor).detach());
  }
}

void AdamW::zero_gradients() {
  for (const Parameter& parameter : parameters_) parameter.leaf.mutable_grad() = at::Tensor();
}

std::vector<at::Tensor> AdamW::gradients() {
  std::vector<at::Tensor> all;
  for (const Parameter& parameter : parameters_) all.push_back(parameter.leaf.grad());
  if (leaves_.empty()) return all;
  at::_foreach_copy_(wide_gradients_, all);
  return wide_gradients_;
}

void AdamW::refresh_copies() {
  if (!leaves_.empty()) at::_foreach_copy_(leaves_, masters_);
}

void AdamW::resume_at(std::int64_t steps) {
  const at::NoGradGuard no_grad;
  set_steps(steps);
  refresh_copies();
}

std::vector<std::pair<std::string, at::Tensor>> AdamW::state() const {
  std::vector<std::pair<std::string, at::Tensor>> all;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    all.emplace_back("parameter." + parameters_[i].name, parameters_[i].tensor);
    all.emplace_back("mean." + parameters_[i].name, means_[i]);
    all.emplace_back("square." + parameters_[i].name, squares_[i]);
  }
  return all;
}

std::unique_ptr<AdamW> make_adamw(std::vector<Parameter> parameters, const Config& config) {
  if (config.rungs.fused_adamw) return std::make_unique<FusedAdamW>(std::move(parameters), config);
  return std::make_unique<OneByOneAdamW>(std::move(parameters), config);
}

}  // namespace stepscope::llm
