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

}  // namespace
}  // namespace stepscope::trainers
