// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/common/adam.hpp"

#include <torch/optim/adam.h>

namespace stepscope::trainers {

struct Adam::Impl {
  torch::optim::Adam optimizer;
};

Adam::Adam(std::vector<at::Tensor> parameters, double learning_rate)
    : impl_(new Impl{
          torch::optim::Adam(std::move(parameters), torch::optim::AdamOptions(learning_rate))}) {}
Adam::~Adam() = default;
Adam::Adam(Adam&&) noexcept = default;
Adam& Adam::operator=(Adam&&) noexcept = default;

void Adam::zero_grad() {
  impl_->optimizer.zero_grad(/*set_to_none=*/true);
}
void Adam::step() {
  impl_->optimizer.step();
}

}  // namespace stepscope::trainers
