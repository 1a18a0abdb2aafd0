// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/common/random.hpp"

#include <ATen/core/Tensor.h>
#include <ATen/ops/rand.h>
#include <gtest/gtest.h>

namespace stepscope::trainers {
namespace {

at::Tensor draw(std::uint64_t seed, RandomStream stream) {
  return at::rand({8}, seeded_generator(seed, stream));
}

TEST(Random, SameSeedAndStreamRepeat) {
  EXPECT_TRUE(draw(7, RandomStream::weights).equal(draw(7, RandomStream::weights)));
}

TEST(Random, SeedsAndStreamsDiffer) {
  EXPECT_FALSE(draw(7, RandomStream::weights).equal(draw(8, RandomStream::weights)));
  EXPECT_FALSE(draw(7, RandomStream::weights).equal(draw(7, RandomStream::batches)));
}

TEST(Random, PartsDiffer) {
  const auto part = [](std::uint64_t number) {
    return at::rand({8}, seeded_generator(7, RandomStream::weights, number));
  };
  EXPECT_TRUE(part(3).equal(part(3)));
  EXPECT_FALSE(part(3).equal(part(4)));
  EXPECT_TRUE(part(0).equal(draw(7, RandomStream::weights)));
}

}  // namespace
}  // namespace stepscope::trainers
