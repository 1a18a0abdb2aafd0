// SPDX-License-Identifier: Apache-2.0
// Every fix on a GPU draws the baseline's replies there, to its losses; in float32, where rounding
// is too small to change a token of so few.
#include <ATen/TensorOperators.h>

#include "reference_trainers/common/step_graph.hpp"
#include "tests/reference_trainers/polychromic/trained.hpp"

namespace stepscope::polychromic {
namespace {

TEST(PolychromicOnGpu, EveryFixAloneAndWithAllBelowItDrawsTheSameRepliesToTheSameLosses) {
  const auto chosen = trainers::choose_device(trainers::DeviceWish::cuda);
  if (!chosen) GTEST_SKIP() << chosen.error().message;
  // A graph is not recorded on the default stream.
  const trainers::OwnStream own_stream(true, chosen->device);
  expect_every_fix_trains_the_same(small_polychromic(), chosen->device);
}

// In bfloat16, where rounding is another: most replies are the same before a weight has changed.
TEST(PolychromicOnGpu, TheFusedPassDrawsNearlyTheSameReplies) {
  const auto chosen = trainers::choose_device(trainers::DeviceWish::cuda);
  if (!chosen) GTEST_SKIP() << chosen.error().message;
  const trainers::OwnStream own_stream(true, chosen->device);
  Config config = small_polychromic();
  config.vocabulary = 24;
  config.decoder = {.layers = 3, .d_model = 256, .heads = 4};
  config.lengths = {.prompt = 5, .reply = 40};
  config.bf16 = true;
  config.fixes = *all_fixes().up_to("R5");
  const Trained plain = train_polychromic(config, chosen->device);
  config.fixes = every_fix();
  const Trained fused = train_polychromic(config, chosen->device);
  EXPECT_GT((plain.replies[0] == fused.replies[0]).to(at::kFloat).mean().item<double>(), 0.8);
  for (std::size_t i = 0; i < plain.steps.size(); ++i)
    EXPECT_NEAR(fused.steps[i].language, plain.steps[i].language, 3e-2) << i;
}

}  // namespace
}  // namespace stepscope::polychromic
