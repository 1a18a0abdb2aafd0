// SPDX-License-Identifier: Apache-2.0
#include "collectors/nvml/device_reader.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

namespace stepscope::nvml {
namespace {

Reading numbered(std::int64_t number) {
  Reading reading;
  reading.time = number;
  reading.values.fill(static_cast<double>(number));
  return reading;
}

TEST(ReadingQueue, GivesWhatWasPutInOrder) {
  auto queue = std::make_unique<ReadingQueue>();
  EXPECT_TRUE(queue->empty());
  for (int i = 0; i < 3; ++i) queue->put(numbered(i));
  Reading reading;
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(queue->take(reading));
    EXPECT_EQ(reading.time, i);
  }
  EXPECT_FALSE(queue->take(reading));
}

TEST(ReadingQueue, AFullQueueKeepsTheOldAndCountsTheNew) {
  auto queue = std::make_unique<ReadingQueue>();
  for (std::uint32_t i = 0; i < ReadingQueue::kSlots + 5; ++i) queue->put(numbered(i));
  EXPECT_EQ(queue->dropped(), 5U);
  Reading reading;
  std::uint32_t taken = 0;
  while (queue->take(reading)) EXPECT_EQ(reading.time, taken++);
  EXPECT_EQ(taken, ReadingQueue::kSlots);
}

TEST(ReadingQueue, NothingIsTornBetweenTwoThreads) {
  constexpr std::int64_t kMany = 200'000;
  auto queue = std::make_unique<ReadingQueue>();
  std::atomic<bool> done{false};
  std::thread writer([&] {
    for (std::int64_t i = 1; i <= kMany; ++i) queue->put(numbered(i));
    done = true;
  });
  std::int64_t last = 0;
  std::uint64_t taken = 0;
  Reading reading;
  for (bool more = true; more;) {
    more = !done;
    while (queue->take(reading)) {
      ASSERT_GT(reading.time, last);
      for (const double value : reading.values) ASSERT_EQ(value, static_cast<double>(reading.time));
      last = reading.time;
      ++taken;
    }
  }
  writer.join();
  EXPECT_EQ(taken + queue->dropped(), static_cast<std::uint64_t>(kMany));
}

}  // namespace
}  // namespace stepscope::nvml
