// SPDX-License-Identifier: Apache-2.0
// Draws replies to prompts from a decoder, in two ways that draw the same ones.
#pragma once

#include <memory>

#include "reference_trainers/polychromic/model/transformer.hpp"

namespace stepscope::polychromic {

class Generator {
 public:
  Generator() = default;
  virtual ~Generator() = default;
  Generator(const Generator&) = delete;
  Generator& operator=(const Generator&) = delete;

  // Returns replies int64 [keys, reply] to prompts int64 [prompts, prompt]; a prompt's keys
  // (data/reply_noise.hpp) stand side by side. The next call overwrites the tensor.
  virtual at::Tensor generate(const at::Tensor& prompts, const at::Tensor& keys) = 0;
};

// Draws each reply alone, with its own pass over its prompt and a cache that grows by
// concatenation. `decoder` must outlive it, and keep its weights in their place.
std::unique_ptr<Generator> make_sequential_generator(const Config& config,
                                                     const Transformer& decoder);

// Draws all replies at once: a prompt's pass is shared by its replies, and keys and values lie in a
// cache of fixed size. On a GPU a token's pass may be one CUDA graph.
std::unique_ptr<Generator> make_batched_generator(const Config& config, const Transformer& decoder,
                                                  at::Device device);

std::unique_ptr<Generator> make_generator(const Config& config, const Transformer& decoder,
                                          at::Device device);

}  // namespace stepscope::polychromic
