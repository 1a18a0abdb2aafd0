// SPDX-License-Identifier: Apache-2.0
// What the approximation does to the number of active features, written down.
#include "reference_trainers/clt/selection/hierarchical_topk.hpp"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "reference_trainers/clt/selection/batch_topk.hpp"
#include "reference_trainers/clt/training/training.hpp"
#include "reference_trainers/common/random.hpp"
#include "tests/reference_trainers/clt/tiny_config.hpp"

namespace stepscope::clt {
namespace {

at::Tensor keys(std::int64_t rows, std::int64_t width) {
  at::Generator random = trainers::seeded_generator(2, trainers::RandomStream::weights);
  return at::randn({rows, width}, random);
}

std::int64_t selected(const at::Tensor& mask) {
  return mask.sum().item<std::int64_t>();
}

// K = 8 * 10 = 80, and 4 K / W <= 400 entries of a token: not capped.
TEST(HierarchicalTopk, KeepsKByWDifferentEntries) {
  const at::Tensor of = keys(10, 400);
  EXPECT_EQ(selected(hierarchical_topk_mask(of, 8, 2)), 40);
  EXPECT_EQ(selected(hierarchical_topk_mask(of, 8, 4)), 20);
  EXPECT_EQ(selected(hierarchical_topk_mask(of, 8, 8)), 10);
  EXPECT_EQ(selected(hierarchical_topk_mask(of, 8, 3)), 27);  // rounded up
}

TEST(HierarchicalTopk, TheyAreTheGreatest) {
  const at::Tensor of = keys(10, 400);
  EXPECT_TRUE(at::equal(hierarchical_topk_mask(of, 8, 4), batch_topk_mask(of, 2)));
}

// At 1,024 tokens of 49,152 features and k = 200, W = 2 the lists hold 49,152 of 204,800; here 30
// of 800, of which K / W = 400 cannot be had.
TEST(HierarchicalTopk, CappedByTheWidthOfAToken) {
  EXPECT_EQ(selected(hierarchical_topk_mask(keys(100, 30), 8, 2)), 30);
}

TEST(HierarchicalTopk, OneRankIsBatchTopkUnlessCapped) {
  const at::Tensor of = keys(10, 400);
  EXPECT_TRUE(at::equal(hierarchical_topk_mask(of, 8, 1), batch_topk_mask(of, 8)));
  EXPECT_EQ(selected(hierarchical_topk_mask(keys(100, 30), 8, 1)), 30);
}

TEST(HierarchicalTopk, ATrainingsL0IsKByW) {
  at::set_num_threads(1);
  for (const bool sparse : {false, true}) {
    Config config = tiny_config();
    config.features = 256;  // 768 of a token: 4 * 9 * 64 / 3 are not capped
    config.hierarchical_ranks = 3;
    config.fixes.sparse_step = sparse;
    const auto trainer = make_training(config, at::kCPU);
    for (std::int64_t step = 0; step < 9; ++step) (void)trainer->step(step);
    EXPECT_NEAR(trainer->step(9)->metrics->l0, 3, 1e-4) << sparse;
  }
}

}  // namespace
}  // namespace stepscope::clt
