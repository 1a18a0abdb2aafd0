// SPDX-License-Identifier: Apache-2.0
// How different the replies to a prompt are: the mean cosine distance of all pairs of their
// embeddings, in two ways that differ by rounding; and what it teaches.
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

// Of embeddings [prompts, replies, width]. A matrix of all pairs a prompt, and its score is read on
// the host.
Diversity diversity_by_pairs(const at::Tensor& embeddings);
// In one kernel on a GPU (kernels/pairwise_cosine); nothing is read.
Diversity diversity_at_once(const at::Tensor& embeddings);

// [prompts, replies]: a reply's mean distance to the others less the mean distance among those
// others, which does not depend on it. So the weighted log-probabilities have the gradient of the
// expected score as their expectation, but for a constant factor. At least 3 replies.
at::Tensor advantages(const Diversity& diversity);

// The mean over replies of advantage times -log p, with -log p of a token [rows, reply] averaged
// over the reply.
at::Tensor score_function(const at::Tensor& advantages, const at::Tensor& token_losses);

}  // namespace stepscope::polychromic
