// SPDX-License-Identifier: Apache-2.0
// A training loop of two layers on LibTorch's tensors, for tests of what is recorded of one: a step
// has forward and backward operations, an update in place, and takes about 0.2 ms.
#pragma once

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <vector>

namespace stepscope {

class SmallTraining {
 public:
  SmallTraining() {
    at::manual_seed(1);
    for (const auto& shape : {std::vector<std::int64_t>{32, 16}, {32}, {16, 32}, {16}})
      weights_.push_back(at::randn(shape).mul_(0.1).requires_grad_());
  }

  double step() {
    const at::Tensor input = at::randn({64, 16});
    const at::Tensor hidden = at::relu(at::linear(input, weights_[0], weights_[1]));
    const at::Tensor output = at::linear(hidden, weights_[2], weights_[3]);
    const at::Tensor loss = at::mse_loss(output, input) + std::get<0>(hidden.topk(4)).mean() * 0.01;
    loss.backward();
    update();
    return loss.item<double>();
  }

 private:
  void update() {
    const at::NoGradGuard no_gradients;
    for (at::Tensor& weight : weights_) {
      weight.sub_(weight.grad(), 0.01);
      weight.mutable_grad().zero_();
    }
  }

  std::vector<at::Tensor> weights_;
};

}  // namespace stepscope
