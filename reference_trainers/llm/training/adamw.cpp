// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/llm/training/adamw.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_copy.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros_like.h>

#include <cmath>
#include <stepscope/annotate.hpp>

#include "reference_trainers/llm/training/adamw_8bit.hpp"
#include "reference_trainers/llm/training/fused_adamw.hpp"

namespace stepscope::llm {
namespace {

class OneByOneAdamW final : public AdamW {
 public:
  OneByOneAdamW(std::vector<Parameter> parameters, const Config& config)
      : AdamW(std::move(parameters), config) {}

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
    const double norm = over_ranks(at::linalg_vector_norm(at::stack(norms))).item<double>();
    if (norm > clip_) {
      for (const at::Tensor& gradient : all) gradient.mul_(clip_ / norm);
    }
    return at::tensor(norm, at::TensorOptions(at::kFloat));
  }

  void update(std::size_t i, const at::Tensor& gradient) {
    const at::Tensor& weights = parameters_[i].tensor;
    const auto t = static_cast<double>(steps_);
    const double mean_bias = 1 - std::pow(kBeta1, t), square_bias = 1 - std::pow(kBeta2, t);
    if (parameters_[i].decays) weights.mul_(1 - rate_ * weight_decay_);
    means_[i].mul_(kBeta1).add_(gradient, 1 - kBeta1);
    squares_[i].mul_(kBeta2).addcmul_(gradient, gradient, 1 - kBeta2);
    const at::Tensor deviation = squares_[i].sqrt().div_(std::sqrt(square_bias)).add_(kEpsilon);
    weights.addcdiv_(means_[i], deviation, -rate_ / mean_bias);
  }

  std::int64_t steps_ = 0;
  double rate_ = 0;
};

}  // namespace

AdamW::AdamW(std::vector<Parameter> parameters, const Config& config, const InFloat& in_float)
    : parameters_(std::move(parameters)), weight_decay_(config.weight_decay), clip_(config.clip) {
  means_.resize(parameters_.size());
  squares_.resize(parameters_.size());
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const Parameter& parameter = parameters_[i];
    if (!in_float(parameter)) continue;
    means_[i] = at::zeros_like(parameter.tensor).detach();
    squares_[i] = at::zeros_like(parameter.tensor).detach();
    if (!parameter.is_copy()) continue;
    copies_.push_back(i);
    leaves_.push_back(parameter.leaf.detach());
    masters_.push_back(parameter.tensor.detach());
    wide_gradients_.push_back(at::zeros_like(parameter.tensor).detach());
  }
}

void AdamW::zero_gradients() {
  for (const Parameter& parameter : parameters_) parameter.leaf.mutable_grad() = at::Tensor();
}

std::vector<at::Tensor> AdamW::gradients() {
  std::vector<at::Tensor> all, narrow;
  for (const Parameter& parameter : parameters_) all.push_back(parameter.leaf.grad());
  if (copies_.empty()) return all;
  for (const std::size_t place : copies_) narrow.push_back(all[place]);
  at::_foreach_copy_(wide_gradients_, narrow);
  for (std::size_t i = 0; i < copies_.size(); ++i) all[copies_[i]] = wide_gradients_[i];
  return all;
}

at::Tensor AdamW::over_ranks(const at::Tensor& norm) const {
  if (!sum_over_ranks_) return norm;
  const at::Tensor square = norm.square();
  sum_over_ranks_(square);
  return square.sqrt();
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
    if (!means_[i].defined()) continue;
    all.emplace_back("mean." + parameters_[i].name, means_[i]);
    all.emplace_back("square." + parameters_[i].name, squares_[i]);
  }
  return all;
}

std::unique_ptr<AdamW> make_adamw(std::vector<Parameter> parameters, const Config& config) {
  if (config.rungs.adamw_8bit)
    return std::make_unique<EightBitAdamW>(std::move(parameters), config);
  if (config.rungs.fused_adamw) return std::make_unique<FusedAdamW>(std::move(parameters), config);
  return std::make_unique<OneByOneAdamW>(std::move(parameters), config);
}

}  // namespace stepscope::llm
