// SPDX-License-Identifier: Apache-2.0
// Every fix on a GPU draws the baseline's replies there, to its losses; in float32, where rounding
// is too small to change a token of so few.
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

}  // namespace
}  // namespace stepscope::polychromic
