// SPDX-License-Identifier: Apache-2.0
// AdamW with moments of 8 bits (kernels/adamw_8bit): 2 bytes a parameter in place of 8. Weights
// below 4,096 numbers and all vectors keep float32 moments, as in the paper: they are few, and what
// is rounded in them reaches every token.
#pragma once

#include "reference_trainers/llm/training/fused_adamw.hpp"

namespace stepscope::llm {

class EightBitAdamW final : public FusedAdamW {
 public:
  EightBitAdamW(std::vector<Parameter> parameters, const Config& config);

  std::vector<std::pair<std::string, at::Tensor>> state() const override;
  void set_learning_rate(double rate) override;
  void set_steps(std::int64_t steps) override;

 private:
  struct Quantised {
    std::size_t place;                      // index in parameters_
    at::Tensor mean_codes, square_codes;    // uint8 [numbers]
    at::Tensor mean_scales, square_scales;  // float32 [blocks]
  };

  void update_others(const std::vector<at::Tensor>& gradients, const at::Tensor& divisor) override;

  std::vector<Quantised> quantised_;
  at::Tensor tables_;        // float32 [2, 256] on the device
  at::Tensor step_, rates_;  // scalars on the device
};

}  // namespace stepscope::llm
