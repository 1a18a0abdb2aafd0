// SPDX-License-Identifier: Apache-2.0
// Every fix on a GPU trains to the baseline's losses there. Each leaf is met often enough that its
// step is recorded as a graph and launched.
#include "reference_trainers/common/step_graph.hpp"
#include "tests/reference_trainers/tree/trained.hpp"

namespace stepscope::tree {
namespace {

TEST(TreeOnGpu, EveryFixAloneAndWithAllBelowItGivesTheBaselinesLosses) {
  const auto chosen = trainers::choose_device(trainers::DeviceWish::cuda);
  if (!chosen) GTEST_SKIP() << chosen.error().message;
  // A graph is not recorded on the default stream.
  const trainers::OwnStream own_stream(true, chosen->device);
  expect_every_fix_trains_the_same(small_tree(20), chosen->device);
}

}  // namespace
}  // namespace stepscope::tree
