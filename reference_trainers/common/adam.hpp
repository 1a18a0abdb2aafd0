// SPDX-License-Identifier: Apache-2.0
// torch::optim::Adam, as a C++ user of LibTorch gets it: one parameter after the other, unfused.
// Behind a pointer, because its header alone takes 9 s to compile.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

namespace stepscope::trainers {

class Adam {
 public:
  Adam(std::vector<at::Tensor> parameters, double learning_rate);
  ~Adam();
  Adam(Adam&&) noexcept;
  Adam& operator=(Adam&&) noexcept;

  void zero_grad();
  void step();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stepscope::trainers
