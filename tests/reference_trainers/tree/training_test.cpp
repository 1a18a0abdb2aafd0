// SPDX-License-Identifier: Apache-2.0
#include <ATen/TensorOperators.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <gmock/gmock.h>

#include "tests/reference_trainers/tree/trained.hpp"

namespace stepscope::tree {
namespace {

using testing::ElementsAre;

TEST(TreeTraining, EveryFixAloneAndWithAllBelowItGivesTheBaselinesLosses) {
  for (const Kind kind : {Kind::tree, Kind::plain}) {
    Config config = small_tree();
    config.shape.kind = kind;
    expect_every_fix_trains_the_same(config, at::kCPU);
  }
}

TEST(TreeTraining, TheLossFalls) {
  Config config = small_tree(150);
  config.fixes = every_fix();
  config.learning_rate = 1e-2;
  config.batch = 8;
  const std::vector<double> losses = train(config).losses;
  EXPECT_LT(losses.back(), 0.7 * losses.front());
}

TEST(TreePaths, GoFromTheRootToEachLeaf) {
  const Shape shape{.depth = 2};
  EXPECT_THAT(shape.path_to(0), ElementsAre(0, 1, 3));
  EXPECT_THAT(shape.path_to(2), ElementsAre(0, 2, 5));
  EXPECT_THAT(shape.path_to(3), ElementsAre(0, 2, 6));
  EXPECT_THAT((Shape{.kind = Kind::plain, .depth = 2}.path_to(3)), ElementsAre(0, 1, 2));
}

// Nodes of two gradients each, whose norms are 3, 1, 4 and 2 times that of one.
Gradients four_nodes() {
  Gradients nodes;
  for (const double scale : {3., 1., 4., 2.})
    nodes.push_back({at::full({2, 3}, scale), at::full({5}, scale)});
  return nodes;
}

std::vector<double> first_numbers(const Gradients& nodes) {
  std::vector<double> out;
  for (const auto& node : nodes)
    for (const at::Tensor& gradient : node) out.push_back(gradient.flatten()[0].item<double>());
  return out;
}

TEST(Credit, GoesToTheKGreatestAndTheOthersGradientsAreZero) {
  for (const auto give : {give_credit_on_host, give_credit_on_device}) {
    Gradients nodes = four_nodes();
    give(nodes, 2);
    EXPECT_THAT(first_numbers(nodes), ElementsAre(3, 3, 0, 0, 4, 4, 0, 0));
    give(nodes, 1);
    EXPECT_THAT(first_numbers(nodes), ElementsAre(0, 0, 0, 0, 4, 4, 0, 0));
    nodes = four_nodes();
    give(nodes, 4);
    EXPECT_THAT(first_numbers(nodes), ElementsAre(3, 3, 1, 1, 4, 4, 2, 2));
  }
}

TEST(Clip, ScalesToTheGreatestNormAndLeavesSmallerOnesAlone) {
  const std::vector<at::Tensor> gradients{at::full({4}, 3.), at::full({4}, 4.)};  // norm 10
  clip_on_device(gradients, 20);
  EXPECT_TRUE(at::equal(gradients[0], at::full({4}, 3.)));
  clip_on_device(gradients, 5);
  EXPECT_NEAR(gradients[0][0].item<double>(), 1.5, 1e-5);
  EXPECT_NEAR(gradients[1][0].item<double>(), 2, 1e-5);
}

TEST(Clip, BitesOnlyWhereItIsSwitchedOn) {
  Config config = small_tree();
  const Trained baseline = train(config);
  config.fixes.clipping = true;
  config.clip = 1e6;
  expect_near(train(config), baseline, kTolerance);
  config.clip = 1e-3;
  EXPECT_NE(train(config).losses.back(), baseline.losses.back());
}

TEST(Sequences, AreTheSameForAStepAndFollowTheirDomain) {
  const Config config = small_tree();
  const Sequences sequences(config);
  EXPECT_TRUE(at::equal(sequences.batch_of(3, false), sequences.batch_of(3, false)));
  EXPECT_FALSE(at::equal(sequences.batch_of(3, false), sequences.batch_of(4, false)));
  EXPECT_FALSE(at::equal(sequences.held_out(0), sequences.held_out(1)));
  EXPECT_EQ(sequences.held_out(0).size(1), config.shape.sequence + 1);
}

TEST(TreeFeed, AheadGivesTheSameBatches) {
  Config config = small_tree();
  config.fixes.prefetch = true;
  const Sequences sequences(config);
  BatchFeed feed(config, sequences, at::kCPU);
  for (std::int64_t step = 0; step < 10; ++step)
    EXPECT_TRUE(at::equal(*feed.next(), sequences.batch_of(step, false))) << step;
}

}  // namespace
}  // namespace stepscope::tree
