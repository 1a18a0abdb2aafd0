// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/polychromic/training/diversity.hpp"

#include <ATen/TensorIndexing.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/cosine_similarity.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>

#include <vector>

#include "kernels/aten/pairwise_cosine.hpp"

namespace stepscope::polychromic {

Diversity diversity_by_pairs(const at::Tensor& embeddings) {
  const auto others = static_cast<double>(embeddings.size(1) - 1);
  std::vector<double> scores;
  std::vector<at::Tensor> distances;
  for (const at::Tensor& set : embeddings.unbind(0)) {
    const at::Tensor cosines = at::cosine_similarity(set.unsqueeze(0), set.unsqueeze(1), -1);
    const at::Tensor pairs = at::ones_like(cosines).triu(1).to(at::kBool);
    scores.push_back((1 - cosines.index({pairs})).mean().item<double>());
    distances.push_back((1 - cosines).fill_diagonal_(0).sum(1) / others);
  }
  return {at::tensor(scores, embeddings.options()), at::stack(distances)};
}

Diversity diversity_at_once(const at::Tensor& embeddings) {
  const auto [scores, distances] = aten::pairwise_cosine(embeddings);
  return {scores, distances};
}

// With r the distances and D their mean, the mean among the others of reply i is
// (N D - 2 r_i) / (N - 2).
at::Tensor advantages(const Diversity& diversity) {
  const auto replies = static_cast<double>(diversity.distances.size(1));
  return (diversity.distances - diversity.scores.unsqueeze(1)) * (replies / (replies - 2));
}

at::Tensor score_function(const at::Tensor& advantages, const at::Tensor& token_losses) {
  return (advantages.flatten() * token_losses.mean(1)).mean();
}

}  // namespace stepscope::polychromic
