// SPDX-License-Identifier: Apache-2.0
// AdamW (Loshchilov and Hutter 2019) with gradients clipped to a norm, in two ways that differ by
// rounding alone. One by one: some 12 ATen calls a parameter, the norm read by the host, as a
// user's loop has it. Fused: norms in one call, the clip as a number on the device that ATen's
// fused AdamW divides by; the host never waits. adamw_8bit.hpp is a third.
//
// With bf16_weights the model has copies of the weights: gradients are widened to float32, and each
// step ends with the copies rounded anew.
//
// beta 0.9 and 0.95, epsilon 1e-8; only matrices decay.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "reference_trainers/llm/config.hpp"
#include "reference_trainers/llm/model/parameters.hpp"

namespace stepscope::llm {

class AdamW {
 public:
  // Whether a parameter's moments are float32, and are kept here; all are unless said otherwise.
  using InFloat = std::function<bool(const Parameter&)>;
  AdamW(
      std::vector<Parameter> parameters, const Config& config,
      const InFloat& in_float = [](const Parameter&) { return true; });
  virtual ~AdamW() = default;
  AdamW(const AdamW&) = delete;
  AdamW& operator=(const AdamW&) = delete;

  // The norm of all gradients together before the clip: a float32 scalar, on the device or, where
  // the host had to read it, on the CPU.
  virtual at::Tensor clip_and_step() = 0;
  // Sets what adds up a scalar over the ranks, in place, for the norm, where the parameters are a
  // rank's share.
  void sum_norms_by(std::function<void(const at::Tensor&)> sum) {
    sum_over_ranks_ = std::move(sum);
  }
  // Sets the rate of later steps. Apart from step(), because a step may be recorded once for many.
  virtual void set_learning_rate(double rate) = 0;
  void zero_gradients();  // drops them

  // Returns what steps change, by name: copying into it restores a run.
  virtual std::vector<std::pair<std::string, at::Tensor>> state() const;
  // Called after the state was restored: so many steps were made.
  void resume_at(std::int64_t steps);

 protected:
  virtual void set_steps(std::int64_t steps) = 0;
  static constexpr double kBeta1 = 0.9, kBeta2 = 0.95, kEpsilon = 1e-8;

  // Returns the gradients of the parameters whose moments are kept here, in float32, whatever the
  // leaf's type is.
  std::vector<at::Tensor> gradients();
  // Returns the norm of all ranks' gradients together, from this rank's.
  at::Tensor over_ranks(const at::Tensor& norm) const;
  // Rounds what has changed for the leaves that are copies.
  void refresh_copies();

  std::vector<Parameter> parameters_;
  std::vector<at::Tensor> means_, squares_;  // undefined where the moments are kept elsewhere
  const double weight_decay_, clip_;

 private:
  // Parameters whose leaves are copies: their indices, leaves, masters, and gradients in float32.
  std::vector<std::size_t> copies_;
  std::vector<at::Tensor> leaves_, masters_, wide_gradients_;
  std::function<void(const at::Tensor&)> sum_over_ranks_;
};

std::unique_ptr<AdamW> make_adamw(std::vector<Parameter> parameters, const Config& config);

}  // namespace stepscope::llm
