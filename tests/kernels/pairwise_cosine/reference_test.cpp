// SPDX-License-Identifier: Apache-2.0
// The reference by hand-made sets, and its gradient by differences.
#include "kernels/pairwise_cosine/pairwise_cosine_reference.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/kernels/pairwise_cosine/vector_cases.hpp"

namespace stepscope::kernels {
namespace {

using testing::DoubleNear;
using testing::Each;
using testing::ElementsAre;

constexpr double kNear = 1e-12;

TEST(PairwiseCosineReference, KnowsDistancesOfTwoDimensions) {
  const std::vector<float> three{1, 0, 0, 2, -3, 0};  // 1 apart, 1 apart, 2 apart
  const auto found = pairwise_cosine_reference(sets_of(three.data(), 1, 3, 2));
  EXPECT_THAT(found.distances,
              ElementsAre(DoubleNear(1.5, kNear), DoubleNear(1, kNear), DoubleNear(1.5, kNear)));
  EXPECT_THAT(found.scores, ElementsAre(DoubleNear(4.0 / 3, kNear)));
  EXPECT_THAT(found.not_finite, ElementsAre(0));
}

TEST(PairwiseCosineReference, CountsUsedVectorsAlone) {
  const std::vector<float> two_sets{1, 0, 0, 1, 5, 5, 1, 0, 2, 0, 9, 9};
  const std::vector<std::int32_t> lengths{2, 1};
  VectorSets sets = sets_of(two_sets.data(), 2, 3, 2);
  sets.lengths = lengths.data();
  const auto found = pairwise_cosine_reference(sets);
  EXPECT_THAT(found.distances, ElementsAre(DoubleNear(1, kNear), DoubleNear(1, kNear), 0, 0, 0, 0));
  EXPECT_THAT(found.scores, ElementsAre(DoubleNear(1, kNear), 0));
}

TEST(PairwiseCosineReference, AZeroVectorIsAtDistanceOne) {
  const std::vector<float> vectors{0, 0, 3, 4, 3, 4};
  const auto found = pairwise_cosine_reference(sets_of(vectors.data(), 1, 3, 2));
  EXPECT_THAT(found.distances,
              ElementsAre(DoubleNear(1, kNear), DoubleNear(0.5, kNear), DoubleNear(0.5, kNear)));
}

TEST(PairwiseCosineReference, WhatIsNotFiniteSpoilsItsSetAndIsCounted) {
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> vectors{1, 0, infinity, 1, 1e30F, 0, 1, 0, 0, 1, 1, 1};
  const auto found = pairwise_cosine_reference(sets_of(vectors.data(), 2, 3, 2));
  EXPECT_THAT(found.not_finite, ElementsAre(2, 0));
  EXPECT_TRUE(std::isnan(found.scores[0]));
  EXPECT_TRUE(std::isnan(found.distances[0]));
  EXPECT_FALSE(std::isnan(found.scores[1]));
}

// Weighs scores and distances, and takes central differences in double of what float32 holds.
TEST(PairwiseCosineReference, TheGradientIsThatOfItsDifferences) {
  constexpr std::int64_t kCount = 4, kWidth = 5;
  constexpr float kStep = 1.0F / 256;
  const std::vector<float> of_score{0.7F}, of_distances{0.3F, -0.2F, 0.9F, 0.1F};
  std::vector<float> vectors = made_vectors<float>(vector_patterns()[0], 1, kCount, kWidth);
  const VectorSets sets = sets_of(vectors.data(), 1, kCount, kWidth);
  const auto value = [&] {
    const auto found = pairwise_cosine_reference(sets);
    double sum = static_cast<double>(of_score[0]) * found.scores[0];
    for (std::size_t i = 0; i < found.distances.size(); ++i)
      sum += static_cast<double>(of_distances[i]) * found.distances[i];
    return sum;
  };
  const auto gradient =
      pairwise_cosine_gradient_reference(sets, of_score.data(), of_distances.data());
  for (std::size_t at = 0; at < vectors.size(); ++at) {
    const float before = vectors[at];
    vectors[at] = before + kStep;
    const float above = vectors[at];
    const double greater = value();
    vectors[at] = before - kStep;
    const double difference = (greater - value()) / static_cast<double>(above - vectors[at]);
    vectors[at] = before;
    EXPECT_NEAR(gradient[at], difference, 1e-4) << at;
  }
}

TEST(PairwiseCosineReference, NoPairHasNoGradient) {
  const std::vector<float> vectors{1, 2, 3}, of_score{1};
  EXPECT_THAT(pairwise_cosine_gradient_reference(sets_of(vectors.data(), 1, 1, 3), of_score.data(),
                                                 nullptr),
              Each(0));
}

}  // namespace
}  // namespace stepscope::kernels
