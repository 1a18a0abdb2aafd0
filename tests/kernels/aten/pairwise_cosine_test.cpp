// SPDX-License-Identifier: Apache-2.0
// The binding is held against all pairs in double, with autograd.
#include "kernels/aten/pairwise_cosine.hpp"

#include <ATen/ops/cosine_similarity.h>
#include <ATen/ops/tensor.h>

#include "tests/kernels/aten/on_devices.hpp"

namespace stepscope::aten {
namespace pairwise_cosine_test {

class AtenPairwiseCosine : public OnDevices {};

// Returns [sets, count].
at::Tensor distances_by_pairs(const at::Tensor& vectors) {
  const at::Tensor cosines = at::cosine_similarity(vectors.unsqueeze(1), vectors.unsqueeze(2), -1);
  const auto count = static_cast<double>(vectors.size(1));
  return (count - cosines.sum(2)) / (count - 1);
}

TEST_P(AtenPairwiseCosine, ScoresDistancesAndGradientsAreThoseOfAllPairs) {
  for (const auto& [sets, count, width] :
       {std::tuple{1, 2, 5}, std::tuple{2, 3, 384}, std::tuple{7, 8, 100}}) {
    const at::Tensor vectors = learnt(normal({sets, count, width}));
    const at::Tensor expected_vectors = learnt(vectors.to(at::kDouble));
    const auto [scores, distances] = pairwise_cosine(vectors);
    const at::Tensor expected = distances_by_pairs(expected_vectors);
    expect_near(distances, expected, 1e-6);
    expect_near(scores, expected.mean(1), 1e-6);
    const at::Tensor weights = normal({sets, count});
    ((distances * weights).sum() + scores.square().sum()).backward();
    ((expected * weights).sum() + expected.mean(1).square().sum()).backward();
    expect_near(vectors.grad(), expected_vectors.grad(), 1e-6);
  }
}

TEST_P(AtenPairwiseCosine, LengthsLeaveVectorsOut) {
  const at::Tensor vectors = normal({3, 4, 16});
  const at::Tensor lengths = at::tensor({4, 2, 1}, at::TensorOptions(at::kInt)).to(device_);
  const auto [scores, distances] = pairwise_cosine(vectors, lengths);
  const auto [whole, unused] = pairwise_cosine(vectors.narrow(0, 0, 1));
  const auto [half, halves] = pairwise_cosine(vectors.narrow(0, 1, 1).narrow(1, 0, 2));
  expect_near(scores[0], whole[0], 1e-6);
  expect_near(scores[1], half[0], 1e-6);
  EXPECT_EQ(scores[2].item<double>(), 0);
  EXPECT_EQ(distances[1][2].item<double>(), 0);
}

TEST_P(AtenPairwiseCosine, BadArgumentsAreNamed) {
  const at::Tensor vectors = normal({2, 3, 8});
  expect_refused([&] { (void)pairwise_cosine(vectors[0]); }, "vectors: must have 3 dimensions");
  expect_refused([&] { (void)pairwise_cosine(vectors.to(at::kDouble)); }, "vectors: must be float");
  expect_refused(
      [&] {
        (void)pairwise_cosine(vectors, at::tensor({1.0, 2.0}));
      },
      "lengths: must be");
  expect_refused([&] { (void)pairwise_cosine(normal({1, 65, 8})); }, "count: must be 1 to 64");
}

STEPSCOPE_ON_DEVICES(AtenPairwiseCosine);

}  // namespace pairwise_cosine_test
}  // namespace stepscope::aten
