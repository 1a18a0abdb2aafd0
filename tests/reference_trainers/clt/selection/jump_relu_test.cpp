// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/selection/jump_relu.hpp"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "reference_trainers/clt/selection/batch_topk.hpp"
#include "reference_trainers/common/random.hpp"

namespace stepscope::clt {
namespace {

// Two layers of 12 features; columns differ in mean and spread, and layer 1 has heavier tails, so
// that less of it is over the cut.
class JumpReluTest : public testing::Test {
 protected:
  JumpReluTest() {
    config_.layers = 2;
    config_.features = 12;
    config_.k = 3;
    at::Generator random = trainers::seeded_generator(5, trainers::RandomStream::weights);
    const at::Tensor mean = at::randn({24}, random), spread = at::rand({24}, random) + 0.5;
    for (int i = 0; i < 4; ++i) {
      at::Tensor rows = at::randn({200, 24}, random);
      rows.slice(1, 12) = rows.slice(1, 12).pow(3);
      rows.select(1, 5).fill_(0);  // no feature: its z-scores are 0
      batches_.push_back(rows * spread + mean);
    }
  }

  Result<JumpRelu> found() const {
    return to_jump_relu(config_, static_cast<std::int64_t>(batches_.size()),
                        [&](std::int64_t i) { return batches_[static_cast<std::size_t>(i)]; });
  }
  // [layers], over all batches
  at::Tensor count(const std::function<at::Tensor(const at::Tensor&)>& mask) const {
    at::Tensor sum = at::zeros({2}, at::kLong);
    for (const at::Tensor& batch : batches_)
      sum += mask(batch).view({-1, 2, 12}).sum(at::IntArrayRef({0, 2}));
    return sum;
  }

  Config config_;
  std::vector<at::Tensor> batches_;
};

TEST_F(JumpReluTest, KeepsAsManyOfEachLayerAsWereSelected) {
  const Result<JumpRelu> jump_relu = found();
  ASSERT_TRUE(jump_relu);
  const at::Tensor selected = count(
      [&](const at::Tensor& batch) { return batch_topk_mask(ranking_keys(batch), config_.k); });
  const at::Tensor kept =
      count([&](const at::Tensor& batch) { return batch > jump_relu->thresholds.view({-1}); });
  EXPECT_GT(selected[0].item<std::int64_t>(), selected[1].item<std::int64_t>() + 1000);
  EXPECT_GT((jump_relu->scales - 1).abs().min().item<double>(), 1e-3);  // 1 would not do
  EXPECT_TRUE(at::equal(kept, selected)) << kept << selected;  // under 1e-4 of 2,400 is exact
}

TEST_F(JumpReluTest, ThresholdsAreThoseOfTheFormula) {
  const Result<JumpRelu> jump_relu = found();
  ASSERT_TRUE(jump_relu);
  for (std::int64_t column = 0; column < 24; ++column) {
    if (column == 5) continue;
    double least = 0, mean = 0, deviation = 0;
    int batches = 0;
    for (const at::Tensor& batch : batches_) {
      const at::Tensor keys = ranking_keys(batch);
      const double cut = std::get<0>(keys.flatten().sort(0, true))[600 - 1].item<double>();
      const at::Tensor over = keys.select(1, column).masked_select(keys.select(1, column) >= cut);
      if (over.numel() > 0) least += over.min().item<double>(), ++batches;
      mean += batch.select(1, column).mean().item<double>() / 4;
      deviation += batch.select(1, column).std().item<double>() / 4;
    }
    const double scale = jump_relu->scales[column / 12].item<double>();
    EXPECT_NEAR(jump_relu->thresholds.view({-1})[column].item<double>(),
                mean + scale * (least / batches) * deviation, 1e-4)
        << column;
  }
}

TEST_F(JumpReluTest, AFeatureThatIsNeverSelectedNeverFires) {
  const Result<JumpRelu> jump_relu = found();
  ASSERT_TRUE(jump_relu);
  EXPECT_EQ(jump_relu->never_selected, 1);
  EXPECT_EQ(jump_relu->thresholds[0][5].item<double>(), kNeverSelected);
  const at::Tensor kept = jump_relu->apply(batches_[0]);
  EXPECT_EQ(kept.select(1, 5).count_nonzero().item<std::int64_t>(), 0);
  const at::Tensor nonzero = kept.masked_select(kept != 0);
  EXPECT_TRUE(at::equal(nonzero, batches_[0].masked_select(kept != 0)));
}

TEST_F(JumpReluTest, RepeatsToTheBit) {
  EXPECT_TRUE(at::equal(found()->thresholds, found()->thresholds));
}

TEST_F(JumpReluTest, ASelectionOfMoreThanHalfIsRefused) {
  config_.k = 15;
  const Result<JumpRelu> jump_relu = found();
  ASSERT_FALSE(jump_relu);
  EXPECT_THAT(jump_relu.error().message, testing::HasSubstr("--k 15 of 24 features"));
}

}  // namespace
}  // namespace stepscope::clt
