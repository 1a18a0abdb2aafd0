// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/common/stopwatch.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace stepscope::trainers {
namespace {

TEST(Stopwatch, GivesTheMeanOfWhatItTimedAndThePartsResult) {
  Stopwatch watch(at::kCPU);
  EXPECT_EQ(watch.mean_ms(), 0);
  for (const int ms : {30, 10})
    EXPECT_EQ(
        watch.time([ms] { return std::this_thread::sleep_for(std::chrono::milliseconds(ms)), ms; }),
        ms);
  EXPECT_GE(watch.mean_ms(), 20);
}

}  // namespace
}  // namespace stepscope::trainers
