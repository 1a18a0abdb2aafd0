// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/common/at_once.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
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

// What is begun behind the failure waits for it, and then takes a while: an exception on its way
// out is slower than 10,000 bodies that only count.
TEST(AtOnce, AFailureIsThrownAndEndsTheOthers) {
  std::atomic<int> done = 0;
  std::atomic<bool> failing = false;
  EXPECT_THROW(for_each_at_once(10000,
                                [&](std::size_t i) {
                                  if (i == 9990) {
                                    failing = true;
                                    failing.notify_all();
                                    throw std::runtime_error("no memory");
                                  }
                                  if (i < 9990) {
                                    failing.wait(false);
                                    std::this_thread::sleep_for(std::chrono::milliseconds(5));
                                  }
                                  ++done;
                                }),
               std::runtime_error);
  EXPECT_LT(done, 9999);
}

}  // namespace
}  // namespace stepscope::trainers
