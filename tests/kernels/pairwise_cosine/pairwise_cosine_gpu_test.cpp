// SPDX-License-Identifier: Apache-2.0
// The kernels against the reference: of every type and pattern, of widths with and without whole
// pieces, of sets that fit into shared memory and that do not.
#include <gtest/gtest.h>

#include <limits>

#include "kernels/common/device_buffer.hpp"
#include "kernels/common/stream.hpp"
#include "kernels/pairwise_cosine/pairwise_cosine_reference.hpp"
#include "tests/kernels/pairwise_cosine/vector_cases.hpp"
#include "tests/kernels/support/device_keys.hpp"
#include "tests/kernels/support/gpu_found.hpp"
#include "tests/kernels/support/small_shapes.hpp"

namespace stepscope::kernels {
namespace {

// Sums of float32 against sums of double, of distances in 0 to 2.
constexpr double kDistanceError = 1e-6;

struct SetsShape {
  std::int64_t sets, count, width;
};

// 64 vectors of 8192 float32 (2 MB) do not fit into shared memory.
std::vector<SetsShape> set_shapes() {
  return {{2, 3, 384},
          {1, 1, 16},
          {5, 2, 7},
          {3, 64, 129},
          sized(SetsShape{1, 64, 8192}, {1, 64, 1032}),
          sized(SetsShape{300, 8, 768}, {7, 8, 768}),
          {1, 33, 1024}};
}

template <class T>
class PairwiseCosineGpu : public testing::Test {
 protected:
  void SetUp() override {
    if (!gpu_found()) GTEST_SKIP() << "no GPU";
  }

  struct Answer {
    std::vector<float> scores, distances;
    std::vector<std::int32_t> not_finite;
  };

  // `offset`: numbers that the vectors lie behind an aligned address.
  Answer distances(const std::vector<T>& vectors, const SetsShape& shape, std::size_t offset = 0,
                   const std::vector<std::int32_t>& lengths = {}) {
    const DeviceKeys<T> on_device(vectors, offset);
    const DeviceBuffer<std::int32_t> used(lengths);
    const DeviceBuffer<float> scores(static_cast<std::size_t>(shape.sets));
    const DeviceBuffer<float> means(static_cast<std::size_t>(shape.sets * shape.count));
    const DeviceBuffer<std::int32_t> bad(static_cast<std::size_t>(shape.sets));
    PairwiseCosine call{sets_of(on_device.data(), shape.sets, shape.count, shape.width),
                        scores.data(), means.data(), bad.data()};
    if (!lengths.empty()) call.sets.lengths = used.data();
    EXPECT_EQ(pairwise_cosine(call, stream_.get()).message(), "");
    stream_.synchronize();
    return {scores.to_host(), means.to_host(), bad.to_host()};
  }

  std::vector<T> gradient(const std::vector<T>& vectors, const SetsShape& shape,
                          const std::vector<float>& of_scores,
                          const std::vector<float>& of_distances,
                          const std::vector<std::int32_t>& lengths = {}) {
    const DeviceBuffer<T> on_device(vectors), out(vectors.size());
    const DeviceBuffer<float> scores(of_scores), means(of_distances);
    const DeviceBuffer<std::int32_t> used(lengths);
    PairwiseCosineGradient call{sets_of(on_device.data(), shape.sets, shape.count, shape.width),
                                scores.data(), means.data(), out.data()};
    if (!lengths.empty()) call.sets.lengths = used.data();
    EXPECT_EQ(pairwise_cosine_gradient(call, stream_.get()).message(), "");
    stream_.synchronize();
    return out.to_host();
  }

  const Stream stream_;
};

using NumberTypes = testing::Types<float, Bfloat16, Float16>;
TYPED_TEST_SUITE(PairwiseCosineGpu, NumberTypes);

// A NaN is as far off as can be.
double farther(double worst, double difference) {
  return std::isnan(difference) ? std::numeric_limits<double>::infinity()
                                : std::max(worst, std::fabs(difference));
}

void expect_near(const std::vector<float>& found, const std::vector<double>& expected,
                 const std::string& about) {
  ASSERT_EQ(found.size(), expected.size());
  double worst = 0;
  for (std::size_t i = 0; i < found.size(); ++i)
    worst = farther(worst, static_cast<double>(found[i]) - expected[i]);
  EXPECT_LE(worst, kDistanceError) << about;
}

TYPED_TEST(PairwiseCosineGpu, DistancesAreTheReferences) {
  for (const SetsShape& shape : set_shapes())
    for (const VectorPattern& pattern : vector_patterns()) {
      const auto vectors = made_vectors<TypeParam>(pattern, shape.sets, shape.count, shape.width);
      const auto expected =
          pairwise_cosine_reference(sets_of(vectors.data(), shape.sets, shape.count, shape.width));
      for (const std::size_t offset : {std::size_t{0}, std::size_t{1}}) {
        const auto found = this->distances(vectors, shape, offset);
        expect_near(found.scores, expected.scores, pattern.name);
        expect_near(found.distances, expected.distances, pattern.name);
        EXPECT_EQ(found.not_finite, expected.not_finite) << pattern.name;
      }
    }
}

TYPED_TEST(PairwiseCosineGpu, LengthsSayHowManyAreUsed) {
  const SetsShape shape{5, 4, 40};
  const std::vector<std::int32_t> lengths{4, 0, 1, 2, 3};
  const auto vectors = made_vectors<TypeParam>(vector_patterns()[0], 5, 4, 40);
  VectorSets sets = sets_of(vectors.data(), 5, 4, 40);
  sets.lengths = lengths.data();
  const auto expected = pairwise_cosine_reference(sets);
  const auto found = this->distances(vectors, shape, 0, lengths);
  expect_near(found.scores, expected.scores, "scores");
  expect_near(found.distances, expected.distances, "distances");
}

TYPED_TEST(PairwiseCosineGpu, WhatIsNotFiniteSpoilsItsSetAlone) {
  const SetsShape shape{3, 3, 24};
  auto vectors = made_vectors<TypeParam>(vector_patterns()[0], 3, 3, 24);
  assign(vectors[25], std::numeric_limits<double>::quiet_NaN());
  assign(vectors[3 * 24 + 70], -std::numeric_limits<double>::infinity());
  const auto found = this->distances(vectors, shape);
  EXPECT_EQ(found.not_finite, (std::vector<std::int32_t>{1, 1, 0}));
  for (int i = 0; i < 6; ++i) EXPECT_TRUE(std::isnan(found.distances[static_cast<std::size_t>(i)]));
  EXPECT_TRUE(std::isnan(found.scores[0]) && std::isnan(found.scores[1]));
  EXPECT_FALSE(std::isnan(found.scores[2]));
}

TYPED_TEST(PairwiseCosineGpu, GradientsAreTheReferences) {
  for (const SetsShape& shape : set_shapes())
    for (const VectorPattern& pattern : {vector_patterns()[0], vector_patterns()[2]}) {
      const auto vectors = made_vectors<TypeParam>(pattern, shape.sets, shape.count, shape.width);
      std::mt19937 random(3);
      std::vector<float> of_scores, of_distances;
      std::vector<std::int32_t> lengths;
      for (std::int64_t set = 0; set < shape.sets; ++set) {
        of_scores.push_back(static_cast<float>(normal(random)));
        lengths.push_back(static_cast<std::int32_t>(shape.count - set % 2));
        for (std::int64_t i = 0; i < shape.count; ++i)
          of_distances.push_back(static_cast<float>(normal(random)));
      }
      VectorSets sets = sets_of(vectors.data(), shape.sets, shape.count, shape.width);
      sets.lengths = lengths.data();
      const auto expected =
          pairwise_cosine_gradient_reference(sets, of_scores.data(), of_distances.data());
      const auto found = this->gradient(vectors, shape, of_scores, of_distances, lengths);
      double greatest = 0, worst = 0;
      for (std::size_t i = 0; i < found.size(); ++i) {
        greatest = std::max(greatest, std::fabs(expected[i]));
        worst = farther(worst, static_cast<double>(to_float(found[i])) - expected[i]);
      }
      // Rounded to the type; nearly equal vectors leave the difference of sums that are nearly so.
      const double rounding = sizeof(TypeParam) == 2 ? 1.0 / 256 : 1e-5;
      EXPECT_LE(worst, rounding * greatest + 1e-6) << pattern.name << ", width " << shape.width;
    }
}

TYPED_TEST(PairwiseCosineGpu, BitsAreTheSameOnEveryRun) {
  const SetsShape shape{9, 8, 768};
  const auto vectors = made_vectors<TypeParam>(vector_patterns()[0], 9, 8, 768);
  const auto first = this->distances(vectors, shape);
  for (int repeat = 0; repeat < 3; ++repeat) {
    const auto again = this->distances(vectors, shape);
    EXPECT_EQ(again.scores, first.scores);
    EXPECT_EQ(again.distances, first.distances);
  }
}

}  // namespace
}  // namespace stepscope::kernels
