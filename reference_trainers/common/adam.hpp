// SPDX-License-Identifier: Apache-2.0
// Adam in two ways that differ by rounding alone: torch::optim::Adam, as a C++ user of LibTorch
// gets it, one parameter after the other; and ATen's fused operator over all of them in one call.
// Behind a pointer, because the optimizer's header alone takes 9 s to compile.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace stepscope::trainers {

class Adam {
 public:
  enum class Kind { one_by_one, fused };

  Adam(std::vector<at::Tensor> parameters, double learning_rate, Kind kind = Kind::one_by_one);
  ~Adam();
  Adam(Adam&&) noexcept;
  Adam& operator=(Adam&&) noexcept;

  void zero_grad();  // drops the gradients
  void step();

  // First and second moments of each parameter, the optimizer's own: to be saved and restored.
  std::vector<at::Tensor> first_moments();
  std::vector<at::Tensor> second_moments();
  // Sets the number of steps that were made.
  void set_steps(std::int64_t steps);

  struct Impl;

 private:
  std::vector<at::Tensor> parameters_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stepscope::trainers
