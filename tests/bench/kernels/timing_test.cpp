// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/kernels/timing.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace stepscope::kernels {
namespace {

TEST(Timing, IsOfTimesInAnyOrder) {
  std::vector<double> times(200);
  std::iota(times.rbegin(), times.rend(), 1.0);
  const Timing timing = timing_of(times);
  EXPECT_EQ(timing.least_us, 1);
  EXPECT_EQ(timing.median_us, 101);
  EXPECT_EQ(timing.p99_us, 199);
}

TEST(Timing, OfOneTimeIsThatTime) {
  const Timing timing = timing_of({7});
  EXPECT_EQ(timing.least_us, 7);
  EXPECT_EQ(timing.median_us, 7);
  EXPECT_EQ(timing.p99_us, 7);
}

}  // namespace
}  // namespace stepscope::kernels
