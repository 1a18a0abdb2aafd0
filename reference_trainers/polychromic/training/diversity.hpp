// SPDX-License-Identifier: Apache-2.0
// Says how different the replies to a prompt are, by the mean cosine distance of all pairs of their
// embeddings, in two ways that differ by rounding; and makes a loss of it.
//
// The score of sampled replies is a number without a gradient: put into the loss as it is, as the
// published objective did, it teaches nothing. It is the metric. The loss has a score function in
// its place: each reply's log-probability, weighted by how much the reply adds.
#pragma once

#include <ATen/core/Tensor.h>

namespace stepscope::polychromic {

struct Diversity {
  at::Tensor scores;     // float32 [prompts]
  at::Tensor distances;  // float32 [prompts, replies]: of each reply to the others
};

// Takes embeddings [prompts, replies, width]; makes a matrix of all pairs for each prompt, and
// reads its score on the host.
Diversity diversity_by_pairs(const at::Tensor& embeddings);
// Takes one kernel on a GPU (kernels/pairwise_cosine), and reads nothing.
Diversity diversity_at_once(const at::Tensor& embeddings);

// Returns [prompts, replies]: a reply's mean distance to the others less the mean distance among
// those others, which does not depend on it. So the weighted log-probabilities have the gradient of
// the expected score as their expectation, but for a constant factor. There must be 3 replies.
at::Tensor advantages(const Diversity& diversity);

// Returns the mean over replies of advantage times -log p, where -log p of the tokens [rows, reply]
// is averaged over a reply.
at::Tensor score_function(const at::Tensor& advantages, const at::Tensor& token_losses);

}  // namespace stepscope::polychromic
