// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/common/adam.hpp"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_fused_adam.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <torch/optim/adam.h>

namespace stepscope::trainers {

struct Adam::Impl {
  virtual ~Impl() = default;
  virtual void step() = 0;
  virtual std::vector<at::Tensor> moments(bool second) = 0;
  virtual void set_steps(std::int64_t steps) = 0;
};

namespace {

struct OneByOne final : Adam::Impl {
  OneByOne(std::vector<at::Tensor> of, double learning_rate)
      : parameters(std::move(of)), optimizer(parameters, torch::optim::AdamOptions(learning_rate)) {
    for (const at::Tensor& parameter : parameters) make_state(parameter);
  }
  void step() override { optimizer.step(); }
  std::vector<at::Tensor> moments(bool second) override {
    std::vector<at::Tensor> out;
    for (const at::Tensor& parameter : parameters)
      out.push_back(second ? state_of(parameter).exp_avg_sq() : state_of(parameter).exp_avg());
    return out;
  }
  void set_steps(std::int64_t steps) override {
    for (const at::Tensor& parameter : parameters) state_of(parameter).step(steps);
  }

  // Makes the state as the optimizer would at its first step.
  void make_state(const at::Tensor& parameter) {
    auto state = std::make_unique<torch::optim::AdamParamState>();
    state->step(0);
    state->exp_avg(at::zeros_like(parameter).detach());
    state->exp_avg_sq(at::zeros_like(parameter).detach());
    optimizer.state()[parameter.unsafeGetTensorImpl()] = std::move(state);
  }
  torch::optim::AdamParamState& state_of(const at::Tensor& parameter) {
    return static_cast<torch::optim::AdamParamState&>(
        *optimizer.state()[parameter.unsafeGetTensorImpl()]);
  }

  std::vector<at::Tensor> parameters;
  torch::optim::Adam optimizer;
};

// betas, epsilon and bias correction as torch::optim::Adam has them.
class Fused final : public Adam::Impl {
 public:
  Fused(std::vector<at::Tensor> parameters, double learning_rate)
      : parameters_(std::move(parameters)), learning_rate_(learning_rate) {
    for (const at::Tensor& parameter : parameters_) {
      means_.push_back(at::zeros_like(parameter).detach());
      squares_.push_back(at::zeros_like(parameter).detach());
      steps_.push_back(at::zeros({}, parameter.options().requires_grad(false)));
    }
  }

  void step() override {
    const at::NoGradGuard no_grad;
    std::vector<at::Tensor> gradients;
    for (at::Tensor& step : steps_) step.add_(1);
    for (const at::Tensor& parameter : parameters_) gradients.push_back(parameter.grad());
    at::_fused_adam_(parameters_, gradients, means_, squares_, {}, steps_, learning_rate_, 0.9,
                     0.999, /*weight_decay=*/0, 1e-8, /*amsgrad=*/false, /*maximize=*/false);
  }

  std::vector<at::Tensor> moments(bool second) override { return second ? squares_ : means_; }
  void set_steps(std::int64_t steps) override {
    for (at::Tensor& step : steps_) step.fill_(steps);
  }

 private:
  std::vector<at::Tensor> parameters_, means_, squares_, steps_;
  double learning_rate_;
};

std::unique_ptr<Adam::Impl> make(std::vector<at::Tensor> parameters, double learning_rate,
                                 Adam::Kind kind) {
  if (kind == Adam::Kind::fused)
    return std::make_unique<Fused>(std::move(parameters), learning_rate);
  return std::make_unique<OneByOne>(std::move(parameters), learning_rate);
}

}  // namespace

Adam::Adam(std::vector<at::Tensor> parameters, double learning_rate, Kind kind)
    : parameters_(parameters), impl_(make(std::move(parameters), learning_rate, kind)) {}
Adam::~Adam() = default;
Adam::Adam(Adam&&) noexcept = default;
Adam& Adam::operator=(Adam&&) noexcept = default;

void Adam::zero_grad() {
  for (at::Tensor& parameter : parameters_) parameter.mutable_grad() = at::Tensor();
}
void Adam::step() {
  impl_->step();
}
std::vector<at::Tensor> Adam::first_moments() {
  return impl_->moments(false);
}
std::vector<at::Tensor> Adam::second_moments() {
  return impl_->moments(true);
}
void Adam::set_steps(std::int64_t steps) {
  impl_->set_steps(steps);
}

}  // namespace stepscope::trainers
