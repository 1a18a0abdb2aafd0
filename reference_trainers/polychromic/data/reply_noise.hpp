// SPDX-License-Identifier: Apache-2.0
// Makes the random numbers that replies are drawn with. A reply has a key, made of the seed, the
// step, its prompt and its number; each of its positions and tokens counts on from there, and a
// hash makes the number. So a reply's numbers are the same however many are generated at once and
// in whatever order, on any device.
//
// They are Gumbel noise: the token with the greatest sum of logit and noise is a sample of the
// model's distribution. Rounding changes it only where two sums are as near as the rounding.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace stepscope::polychromic {

// Returns int64 [prompts * replies] on the host, a prompt's replies side by side.
at::Tensor reply_keys(std::uint64_t seed, std::int64_t step, std::int64_t prompts,
                      std::int64_t replies);

// Returns float32 [positions, keys, vocabulary] where the keys are.
at::Tensor gumbel_noise(const at::Tensor& keys, std::int64_t positions, std::int64_t vocabulary);

}  // namespace stepscope::polychromic
