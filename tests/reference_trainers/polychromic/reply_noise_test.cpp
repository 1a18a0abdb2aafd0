// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/polychromic/data/reply_noise.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/exp.h>
#include <gtest/gtest.h>

#include <set>

namespace stepscope::polychromic {
namespace {

TEST(ReplyNoise, IsAReplysOwnHoweverManyAreMadeAtOnce) {
  const at::Tensor keys = reply_keys(7, 3, 2, 3);
  const at::Tensor all = gumbel_noise(keys, 5, 11);
  std::vector<at::Tensor> alone;
  for (std::int64_t row = 5; row >= 0; --row)
    alone.insert(alone.begin(), gumbel_noise(keys.narrow(0, row, 1), 5, 11));
  EXPECT_TRUE(at::equal(all, at::cat(alone, 1)));
  EXPECT_TRUE(at::equal(all.narrow(0, 0, 2), gumbel_noise(keys, 2, 11))) << "of fewer positions";
}

TEST(ReplyNoise, EveryReplyOfEveryStepHasAKeyOfItsOwn) {
  std::set<std::int64_t> keys;
  for (const std::uint64_t seed : {0U, 1U})
    for (std::int64_t step = 0; step < 50; ++step) {
      const at::Tensor some = reply_keys(seed, step, 4, 5);
      for (std::int64_t i = 0; i < 20; ++i) keys.insert(some[i].item<std::int64_t>());
    }
  EXPECT_EQ(keys.size(), 2U * 50 * 20);
}

// exp(-exp(-g)) of Gumbel noise g is uniform: its mean, its variance, and its least and greatest.
TEST(ReplyNoise, IsGumbelNoise) {
  const at::Tensor noise = gumbel_noise(reply_keys(0, 0, 8, 8), 16, 256);
  const at::Tensor uniform = (-(-noise).exp()).exp().to(at::kDouble);
  EXPECT_TRUE(noise.isfinite().all().item<bool>());
  EXPECT_NEAR(uniform.mean().item<double>(), 0.5, 2e-3);
  EXPECT_NEAR(uniform.var().item<double>(), 1.0 / 12, 1e-3);
  EXPECT_LT(uniform.min().item<double>(), 1e-4);
  EXPECT_GT(uniform.max().item<double>(), 1 - 1e-4);
}

TEST(ReplyNoise, NeighboursAreNotAlike) {
  const at::Tensor noise = gumbel_noise(reply_keys(0, 0, 1, 2), 64, 256);
  const at::Tensor first = noise.select(1, 0).flatten(), second = noise.select(1, 1).flatten();
  const auto likeness = [](const at::Tensor& a, const at::Tensor& b) {
    const at::Tensor off = a - a.mean(), of = b - b.mean();
    return ((off * of).mean() / (off.square().mean() * of.square().mean()).sqrt()).item<double>();
  };
  EXPECT_NEAR(likeness(first, second), 0, 0.03);
  EXPECT_NEAR(likeness(first.narrow(0, 0, 16383), first.narrow(0, 1, 16383)), 0, 0.03);
}

}  // namespace
}  // namespace stepscope::polychromic
