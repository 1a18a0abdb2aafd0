// SPDX-License-Identifier: Apache-2.0
// The decoder's weights as generation reads them: those that learn themselves, or copies in
// bfloat16 that keep their place in memory, so that a recorded graph can read them.
#pragma once

#include "reference_trainers/polychromic/model/transformer.hpp"

namespace stepscope::polychromic {

// Returns the model without gradients; in another type it has memory of its own.
Transformer frozen(const Transformer& model, at::ScalarType type);

class GenerationWeights {
 public:
  GenerationWeights(const Transformer& learning, bool bf16)
      : learning_(learning.weights()),
        model_(frozen(learning, bf16 ? at::kBFloat16 : at::kFloat)) {}

  // Is called behind a step of the optimizer.
  void refresh();
  const Transformer& model() const { return model_; }

 private:
  const std::vector<at::Tensor> learning_;
  const Transformer model_;
};

}  // namespace stepscope::polychromic
