// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/data/memory_store.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/matmul.h>
#include <gtest/gtest.h>

#include "reference_trainers/clt/data/made_activations.hpp"
#include "tests/reference_trainers/clt/tiny_config.hpp"

namespace stepscope::clt {
namespace {

TEST(MadeActivations, TargetsAreTheWritesOfOwnAndEarlierLayersAndNoise) {
  const Config config = tiny_config();
  const MadeActivations made = make_activations(config);
  for (std::size_t target = 0; target < 3; ++target) {
    at::Tensor rest = made.targets[target].clone();
    ASSERT_EQ(made.writes[target].size(), target + 1);
    for (std::size_t source = 0; source <= target; ++source) {
      rest -= at::matmul(made.strengths[source], made.writes[target][source]);
    }
    EXPECT_NEAR(rest.std().item<double>(), made.noise, 0.1 * made.noise);
  }
}

TEST(MadeActivations, FeaturesAreSparse) {
  const Config config = tiny_config();
  const MadeActivations made = make_activations(config);
  double active = 0;  // a token, over all layers; half of k by construction
  for (const at::Tensor& strengths : made.strengths) {
    active += (strengths > 0).to(at::kFloat).sum(1).mean().item<double>();
  }
  EXPECT_NEAR(active, static_cast<double>(config.k) / 2, 0.1 * static_cast<double>(config.k));
}

TEST(MadeActivations, HeldOutRowsAreOthersOfTheSameOrigin) {
  const Config config = tiny_config();
  const MadeActivations made = make_activations(config), other = make_held_out(config, 100);
  at::Tensor input = other.inputs[2].clone(), target = other.targets[1].clone();
  ASSERT_EQ(input.size(0), 100);
  EXPECT_FALSE(other.strengths[0].equal(made.strengths[0].slice(0, 0, 100)));
  input -= at::matmul(other.strengths[2], made.reads[2]);
  target -= at::matmul(other.strengths[0], made.writes[1][0]);
  target -= at::matmul(other.strengths[1], made.writes[1][1]);
  EXPECT_NEAR(input.std().item<double>(), made.noise, 0.1 * made.noise);
  EXPECT_NEAR(target.std().item<double>(), made.noise, 0.1 * made.noise);
}

at::Tensor epoch(ActivationStore& store, const Config& config) {
  std::vector<at::Tensor> batches;
  for (std::int64_t row = 0; row < config.rows; row += config.batch)
    batches.push_back(store.next()->inputs[1]);
  return at::cat(batches);
}

TEST(MemoryStore, AnEpochHasEveryRowOnceNormalised) {
  const Config config = tiny_config();
  MemoryStore store(make_activations(config), config, at::kCPU);
  const at::Tensor first = epoch(store, config), second = epoch(store, config);
  EXPECT_LT(first.mean(0).abs().max().item<double>(), 1e-4);
  EXPECT_LT((first.std(0) - 1).abs().max().item<double>(), 1e-3);
  EXPECT_FALSE(first.equal(second)) << "a fresh shuffle an epoch";
  const auto sorted = [](const at::Tensor& rows) { return std::get<0>(rows.select(1, 0).sort()); };
  EXPECT_TRUE(sorted(first).equal(sorted(second))) << "the same rows an epoch";
}

TEST(MemoryStore, NormalisationOfTargetsIsUndone) {
  const Config config = tiny_config();
  const MadeActivations made = make_activations(config);
  MemoryStore store(made, config, at::kCPU);
  const at::Tensor original = store.target_normalisation()[2].undo(store.next()->targets[2]);
  EXPECT_NEAR(original.std().item<double>(), made.targets[2].std().item<double>(),
              0.1 * made.targets[2].std().item<double>());
}

TEST(MemoryStore, GivesOwnRowsOfEachBatch) {
  const Config config = tiny_config();
  MemoryStore whole(make_activations(config), config, at::kCPU);
  MemoryStore share(make_activations(config), config, at::kCPU, trainers::Span{16, 32});
  for (int i = 0; i < 20; ++i)
    EXPECT_TRUE(share.next()->inputs[1].equal(whole.next()->inputs[1].slice(0, 16, 32))) << i;
  const HeldOut all = *whole.held_out(2), own = *share.held_out(2);
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_TRUE(own.batches[i].targets[1].equal(all.batches[i].targets[1].slice(0, 16, 32))) << i;
}

TEST(MemoryStore, SeedFixesTheBatches) {
  const Config config = tiny_config();
  MemoryStore first(make_activations(config), config, at::kCPU);
  MemoryStore second(make_activations(config), config, at::kCPU);
  EXPECT_TRUE(first.next()->targets[0].equal(second.next()->targets[0]));
}

}  // namespace
}  // namespace stepscope::clt
