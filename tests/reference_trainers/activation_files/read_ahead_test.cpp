// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/activation_files/read_ahead.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>

namespace stepscope::trainers {
namespace {

using namespace std::chrono_literals;

// True as soon as it holds, false where it does not within ten seconds.
template <class Holds>
bool comes_true(Holds holds) {
  for (int i = 0; i < 10'000 && !holds(); ++i) std::this_thread::sleep_for(1ms);
  return holds();
}

TEST(ReadAhead, GivesValuesInOrder) {
  int made = 0;
  ReadAhead<int> ahead(3, [&made]() -> Result<int> { return made++; });
  for (int i = 0; i < 100; ++i) EXPECT_EQ(*ahead.next(), i);
}

TEST(ReadAhead, MakesSoManyAheadAndNoMore) {
  std::atomic<int> made = 0;
  ReadAhead<int> ahead(3, [&made]() -> Result<int> { return made++; });
  EXPECT_TRUE(comes_true([&] { return made == 3; }));
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(made, 3);
  (void)ahead.next();
  EXPECT_TRUE(comes_true([&] { return made == 4; }));
}

TEST(ReadAhead, AnErrorComesBehindTheValuesBeforeItAndStays) {
  int made = 0;
  ReadAhead<int> ahead(3, [&made]() -> Result<int> {
    if (made < 2) return made++;
    return bad_input("file");
  });
  EXPECT_EQ(*ahead.next(), 0);
  EXPECT_EQ(*ahead.next(), 1);
  for (int i = 0; i < 3; ++i) {
    const Result<int> none = ahead.next();
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().message, "file");
  }
}

TEST(ReadAhead, AnExceptionIsAnError) {
  ReadAhead<int> ahead(3, []() -> Result<int> { throw std::runtime_error("no memory"); });
  EXPECT_EQ(ahead.next().error().message, "no memory");
}

TEST(ReadAhead, ReadyDoesNotWait) {
  std::atomic<bool> go = false;
  ReadAhead<int> ahead(3, [&go]() -> Result<int> {
    while (!go) std::this_thread::sleep_for(1ms);
    return 5;
  });
  EXPECT_FALSE(ahead.ready().has_value());
  go = true;
  EXPECT_EQ(*ahead.next(), 5);
  std::optional<Result<int>> ready;
  EXPECT_TRUE(comes_true([&] { return (ready = ahead.ready()).has_value(); }));
}

TEST(ReadAhead, EndsWithValuesThatNobodyTook) {
  for (int i = 0; i < 200; ++i) ReadAhead<int> ahead(2, []() -> Result<int> { return 1; });
}

}  // namespace
}  // namespace stepscope::trainers
