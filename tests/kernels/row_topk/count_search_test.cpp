// SPDX-License-Identifier: Apache-2.0
// The search against sorting, from any guess.
#include "kernels/row_topk/count_search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace stepscope::kernels {
namespace {

struct Outcome {
  std::uint64_t low;
  std::uint32_t at_low;
  int rounds;
};

std::uint32_t reaching(const std::vector<std::uint64_t>& keys, std::uint64_t least) {
  return static_cast<std::uint32_t>(
      std::count_if(keys.begin(), keys.end(), [&](std::uint64_t key) { return key >= least; }));
}

Outcome run(const std::vector<std::uint64_t>& keys, CountSearch<std::uint64_t> search) {
  int rounds = 0;
  for (; !search.done() && rounds < 200; ++rounds) {
    const std::uint64_t probe = search.probe();
    search.counted(probe, reaching(keys, probe));
  }
  return {search.low(), search.at_low(), rounds};
}

std::vector<std::uint64_t> random_keys(std::size_t size, std::uint64_t below) {
  std::mt19937_64 random(size);
  std::vector<std::uint64_t> keys(size);
  for (std::uint64_t& key : keys) key = random() % below;
  return keys;
}

TEST(CountSearch, SeparatesTheWantedOfDistinctKeys) {
  for (const std::uint64_t below : {std::uint64_t{2000}, std::uint64_t{1} << 39}) {
    std::vector<std::uint64_t> keys = random_keys(900, below);
    std::sort(keys.begin(), keys.end(), std::greater<>());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    const auto size = static_cast<std::uint32_t>(keys.size());
    for (const std::uint32_t wanted : {1U, 2U, 200U, 512U, size - 1}) {
      const Outcome outcome = run(keys, {0, below, size, wanted, wanted});
      EXPECT_EQ(outcome.at_low, wanted);
      EXPECT_LE(outcome.low, keys[wanted - 1]);
      EXPECT_GT(outcome.low, keys[wanted]);
      EXPECT_LE(outcome.rounds, 40);
    }
  }
}

TEST(CountSearch, EndsAtTheKeyWhereEqualOnesStraddleTheCount) {
  const std::vector<std::uint64_t> keys{9, 7, 7, 7, 7, 3, 1};
  const Outcome outcome = run(keys, {0, 16, 7, 3, 3});
  EXPECT_EQ(outcome.low, 7U);
  EXPECT_EQ(outcome.at_low, 5U);
}

TEST(CountSearch, EndsEarlyWhereFewMoreDo) {
  const std::vector<std::uint64_t> keys = random_keys(1024, 1 << 16);
  const Outcome outcome = run(keys, {0, 1 << 16, 1024, 200, 225});
  EXPECT_GE(outcome.at_low, 200U);
  EXPECT_LE(outcome.at_low, 225U);
  EXPECT_EQ(outcome.at_low, reaching(keys, outcome.low));
}

TEST(CountSearch, NeedsNoRoundWhereFewEnoughAreThere) {
  EXPECT_EQ(run({}, {5, 100, 210, 200, 225}).rounds, 0);
}

// The last row's bound is near as a rule: few rounds. Whatever it is: the right end.
TEST(CountSearch, AnyGuessEndsRightAndAGoodOneSoon) {
  const std::vector<std::uint64_t> keys = random_keys(1024, 1 << 16);
  CountSearch<std::uint64_t> plain(0, 1 << 16, 1024, 200, 200);
  const std::uint64_t place = run(keys, plain).low;
  for (const std::uint64_t guess :
       {std::uint64_t{0}, std::uint64_t{1}, place - 300, place - 2, place, place + 2, place + 300,
        std::uint64_t{65535}, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    CountSearch<std::uint64_t> search(0, 1 << 16, 1024, 200, 200);
    search.guess(guess);
    const Outcome outcome = run(keys, search);
    EXPECT_EQ(outcome.at_low, 200U) << guess;
    EXPECT_LE(outcome.rounds, 40) << guess;
    if (guess == place) {
      EXPECT_EQ(outcome.rounds, 1);
    }
  }
}

}  // namespace
}  // namespace stepscope::kernels
