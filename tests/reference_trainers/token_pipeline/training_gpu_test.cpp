// SPDX-License-Identifier: Apache-2.0
// Every fix on a GPU trains to the baseline's losses there, those of workers, pinned memory and the
// copy stream among them.
#include "tests/reference_trainers/token_pipeline/trained.hpp"

namespace stepscope::token_pipeline {
namespace {

TEST(TokenPipelineOnGpu, EveryFixAloneAndWithAllBelowItGivesTheBaselinesLosses) {
  const auto chosen = trainers::choose_device(trainers::DeviceWish::cuda);
  if (!chosen) GTEST_SKIP() << chosen.error().message;
  expect_every_fix_trains_the_same(small_pipeline(12), chosen->device);
}

}  // namespace
}  // namespace stepscope::token_pipeline
