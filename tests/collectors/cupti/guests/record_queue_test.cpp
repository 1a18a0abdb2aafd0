// SPDX-License-Identifier: Apache-2.0
#include "collectors/cupti/guests/record_queue.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace stepscope::cupti {
namespace {

TEST(RecordQueue, GivesBackInOrderWhatWasPut) {
  RecordQueue queue;
  EXPECT_TRUE(queue.first().empty());
  for (int round = 0; round < 2; ++round) {
    for (std::uint8_t i = 1; i < 200; ++i)
      ASSERT_TRUE(queue.put(std::vector<std::uint8_t>(std::size_t{i} * 100, i)));
    for (std::uint8_t i = 1; i < 200; ++i) {
      ASSERT_EQ(queue.first().size(), std::size_t{i} * 100);
      EXPECT_EQ(queue.first().back(), i);
      queue.pop();
    }
    EXPECT_TRUE(queue.first().empty());
  }
}

TEST(RecordQueue, HasAnEnd) {
  RecordQueue queue;
  const std::vector<std::uint8_t> record(std::size_t{1} << 20U);
  std::size_t put = 0;
  while (put < 1000 && queue.put(record)) ++put;
  EXPECT_GT(put, 10U);
  EXPECT_LE(put * record.size(), RecordQueue::kMostBytes);
  queue.clear();
  EXPECT_TRUE(queue.put(record));
  queue.clear();
}

}  // namespace
}  // namespace stepscope::cupti
