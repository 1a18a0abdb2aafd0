// SPDX-License-Identifier: Apache-2.0
// A loop in C++ on LibTorch, whose lines native_lines.py knows by the words behind "line:".
#include <torch/types.h>
#include <torch/utils.h>

namespace {

torch::Tensor layer(const torch::Tensor& x, const torch::Tensor& weight) {
  return torch::mm(x, weight);  // line: layer
}

torch::Tensor loss_of(const torch::Tensor& y) {
  return y.sigmoid().sum();  // line: loss
}

void step(torch::Tensor& weight) {
  torch::NoGradGuard no_gradient;
  weight -= weight.grad() * 0.01;  // line: update
  weight.grad().zero_();
}

}  // namespace

int main() {
  torch::set_num_threads(1);
  torch::Tensor weight = torch::randn({256, 256}, torch::requires_grad());
  const torch::Tensor x = torch::randn({64, 256});
  for (int i = 0; i < 100; ++i) {
    loss_of(layer(x, weight)).backward();  // line: pass
    step(weight);
  }
}
