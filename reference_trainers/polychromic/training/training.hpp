// SPDX-License-Identifier: Apache-2.0
// The training step: replies are drawn and judged, then one pass over the step's sequences and the
// replies gives the loss: the language model's, plus the weighted score function.
#pragma once

#include <memory>
#include <vector>

#include "reference_trainers/common/adam.hpp"
#include "reference_trainers/common/stopwatch.hpp"
#include "reference_trainers/polychromic/generation/generation_weights.hpp"
#include "reference_trainers/polychromic/generation/generator.hpp"
#include "reference_trainers/polychromic/training/diversity.hpp"

namespace stepscope::polychromic {

struct StepNumbers {
  double language = 0, loss = 0, diversity = 0;
};

// Time the parts of steps ahead of the loss.
struct Stopwatches {
  trainers::Stopwatch generate, encode, diversity;

  explicit Stopwatches(at::Device device) : generate(device), encode(device), diversity(device) {}
};

class Training {
 public:
  Training(const Config& config, at::Device device);

  // Returns the numbers of all steps since the last ones that were returned, where `reads`.
  // `watches` may be null.
  std::vector<StepNumbers> step(std::int64_t index, const at::Tensor& batch, bool reads,
                                Stopwatches* watches);

  // Returns those of the last step, int64 [prompts * replies, reply].
  const at::Tensor& replies() const { return replies_; }
  const Transformer& decoder() const { return decoder_; }
  const Transformer& generating_decoder() const { return generation_.model(); }

 private:
  at::Tensor generate(std::int64_t index, const at::Tensor& batch);
  at::Tensor encode(const at::Tensor& replies) const;
  Diversity judge(const at::Tensor& embeddings) const;
  at::Tensor token_losses(const at::Tensor& sequences) const;
  at::Tensor loss_of(const at::Tensor& batch, const Diversity& diversity);
  std::vector<StepNumbers> read();

  const Config config_;
  const at::Device device_;
  const Transformer decoder_, encoder_;
  GenerationWeights generation_;
  const std::unique_ptr<Generator> generator_;
  trainers::Adam optimizer_;
  at::Tensor replies_;
  std::vector<at::Tensor> unread_;  // float32 [3] a step
};

}  // namespace stepscope::polychromic
