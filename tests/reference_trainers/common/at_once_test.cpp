// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/common/at_once.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace stepscope::trainers {
namespace {

TEST(AtOnce, EachIsDoneOnce) {
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{1000}}) {
    std::vector<std::atomic<int>> done(count);
    for_each_at_once(count, [&](std::size_t i) { ++done[i]; });
    for (const std::atomic<int>& times : done) EXPECT_EQ(times, 1);
  }
}

TEST(AtOnce, AFailureIsThrownAndEndsTheOthers) {
  std::atomic<int> done = 0;
  EXPECT_THROW(for_each_at_once(100000,
                                [&](std::size_t i) {
                                  if (i == 99990) throw std::runtime_error("no memory");
                                  ++done;
                                }),
               std::runtime_error);
  EXPECT_LT(done, 99999);
}

}  // namespace
}  // namespace stepscope::trainers
