// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/comm/link_watch.hpp"

#include <gmock/gmock.h>

#include "reference_trainers/comm/comm.hpp"
#include "tests/reference_trainers/comm/in_process_ranks.hpp"

namespace stepscope::trainers {
namespace {

using std::chrono::milliseconds;

// Runs body(watch, rank) on each rank until it ends or its group fails; the failure, else empty.
template <class Body>
std::vector<std::string> failures_of_watched(int size, milliseconds patience, Body body) {
  auto links = connected_links(size, patience);
  std::vector<std::string> failures(static_cast<std::size_t>(size));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank)
    threads.emplace_back([&, rank] {
      std::atomic<bool> freed{false};
      LinkWatch watch(
          std::move(links[static_cast<std::size_t>(rank)]), patience, [&] { freed = true; },
          std::chrono::seconds(60));
      try {
        body(watch, rank, freed);
        watch.check();
      } catch (const RankFailure& failure) {
        failures[static_cast<std::size_t>(rank)] = failure.what();
      }
    });
  for (std::thread& thread : threads) thread.join();
  return failures;
}

// As a device that waits for the others.
void wait_to_be_freed(const std::atomic<bool>& freed) {
  for (int i = 0; i < 1000 && !freed; ++i) std::this_thread::sleep_for(milliseconds(10));
}

TEST(LinkWatch, ARunThatEndsWellFailsNobody) {
  const auto failures =
      failures_of_watched(3, milliseconds(60'000), [](auto& watch, int rank, auto&) {
        for (int call = 0; call < 5; ++call) watch.made_a_call();
        std::this_thread::sleep_for(milliseconds(100 * rank));
      });
  EXPECT_THAT(failures, testing::Each(""));
}

TEST(LinkWatch, ARanksFailureFreesTheOthers) {
  const auto failures =
      failures_of_watched(3, milliseconds(60'000), [](auto& watch, int rank, auto& freed) {
        if (rank == 2) return watch.fail("rank 2: no memory");
        wait_to_be_freed(freed);
      });
  EXPECT_THAT(failures, testing::ElementsAre("rank 2: no memory", "rank 2: no memory", ""));
}

TEST(LinkWatch, ARankThatStandsStillIsNamed) {
  const auto failures =
      failures_of_watched(3, milliseconds(1000), [](auto& watch, int rank, auto& freed) {
        for (int call = 0; call < (rank == 1 ? 3 : 7); ++call) watch.made_a_call();
        wait_to_be_freed(freed);
      });
  EXPECT_THAT(failures,
              testing::Each(testing::HasSubstr("rank 1 has stood at call 3 for 1 s while rank ")));
}

}  // namespace
}  // namespace stepscope::trainers
