// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/polychromic/training/diversity.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include "reference_trainers/common/random.hpp"

namespace stepscope::polychromic {
namespace {

at::Tensor normal_numbers(at::IntArrayRef sizes) {
  return at::randn(sizes, trainers::seeded_generator(5, trainers::RandomStream::weights));
}

void expect_all_near(const at::Tensor& found, const at::Tensor& expected, double error) {
  ASSERT_EQ(found.sizes(), expected.sizes());
  EXPECT_LE((found - expected).abs().max().item<double>(), error) << found << expected;
}

TEST(Diversity, BothWaysAreTheSame) {
  const at::Tensor embeddings = normal_numbers({4, 5, 24});
  const Diversity pairs = diversity_by_pairs(embeddings), once = diversity_at_once(embeddings);
  expect_all_near(once.scores, pairs.scores, 1e-6);
  expect_all_near(once.distances, pairs.distances, 1e-6);
  expect_all_near(once.distances.mean(1), once.scores, 1e-6);
}

TEST(Advantages, AreDistancesLessThoseAmongTheOthers) {
  const at::Tensor embeddings = normal_numbers({1, 5, 24});
  const at::Tensor found = advantages(diversity_at_once(embeddings));
  for (std::int64_t i = 0; i < 5; ++i) {
    std::vector<at::Tensor> others;
    for (std::int64_t j = 0; j < 5; ++j)
      if (j != i) others.push_back(embeddings[0][j]);
    const at::Tensor among = diversity_at_once(at::stack(others).unsqueeze(0)).scores[0];
    const at::Tensor own = diversity_at_once(embeddings).distances[0][i];
    expect_all_near(found[0][i], own - among, 1e-6);
  }
}

// Replies of one token of four, drawn three at a time: over all 64 draws, weighted by their
// probabilities, the score function's gradient is -1/2 of that of the expected score.
TEST(ScoreFunction, HasTheGradientOfTheExpectedScore) {
  constexpr std::int64_t kTokens = 4, kReplies = 3;
  const at::Tensor table = normal_numbers({kTokens, 6});
  const at::Tensor weights = at::tensor({0.3, -0.5, 0.8, 0.1}).set_requires_grad(true);
  const auto losses_of = [&](const at::Tensor& tokens) {
    return -at::log_softmax(weights, 0).index_select(0, tokens);
  };
  at::Tensor expected_score, expected_loss;  // the second by what draws it, not through that
  for (std::int64_t draw = 0; draw < kTokens * kTokens * kTokens; ++draw) {
    const at::Tensor tokens = at::tensor({draw % 4, draw / 4 % 4, draw / 16});
    const at::Tensor probability = (-losses_of(tokens).sum()).exp();
    const Diversity diversity = diversity_at_once(table.index_select(0, tokens).unsqueeze(0));
    const at::Tensor loss =
        score_function(advantages(diversity), losses_of(tokens).view({kReplies, 1}));
    const auto add = [](at::Tensor& sum, const at::Tensor& one) {
      sum = sum.defined() ? sum + one : one;
    };
    add(expected_score, probability * diversity.scores[0]);
    add(expected_loss, probability.detach() * loss);
  }
  expected_loss.backward();
  const at::Tensor of_loss = weights.grad().clone();
  weights.mutable_grad().reset();
  expected_score.backward();
  expect_all_near(of_loss, weights.grad() * -0.5, 1e-6);
  EXPECT_GT(weights.grad().abs().max().item<double>(), 1e-3);
}

}  // namespace
}  // namespace stepscope::polychromic
