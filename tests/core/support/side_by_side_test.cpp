// SPDX-License-Identifier: Apache-2.0
#include "core/support/side_by_side.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>
#include <vector>

namespace stepscope {
namespace {

TEST(SideBySide, EachPieceIsDoneOnceByAnyNumberOfThreads) {
  for (const std::size_t threads : {1U, 2U, 3U, 16U}) {
    std::vector<std::atomic<int>> done(100);
    for_each_side_by_side(done.size(), threads, [&](std::size_t i) { ++done[i]; });
    for (const auto& times : done) EXPECT_EQ(times, 1) << threads;
  }
}

TEST(SideBySide, OneThreadIsTheCallersAndKeepsTheOrder) {
  std::vector<std::size_t> order;
  std::set<std::thread::id> threads;
  for_each_side_by_side(5, 1, [&](std::size_t i) {
    order.push_back(i);
    threads.insert(std::this_thread::get_id());
  });
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(threads, std::set{std::this_thread::get_id()});
}

TEST(SideBySide, NoWorkIsNoCall) {
  for_each_side_by_side(0, 4, [](std::size_t) { FAIL(); });
}

TEST(SideBySide, ThereIsAtLeastOneCore) {
  EXPECT_GE(usable_cores(), 1U);
}

}  // namespace
}  // namespace stepscope
