// SPDX-License-Identifier: Apache-2.0
// The search against sorting, from anywhere it may look first.
#include "kernels/row_topk/rank_search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "kernels/common/radix_digit.hpp"

namespace stepscope::kernels {
namespace {

using Search = RankSearch<std::uint64_t>;

struct Outcome {
  std::uint64_t low;
  std::uint32_t at_low;
  int levels;
};

std::uint32_t reaching(const std::vector<std::uint64_t>& keys, std::uint64_t least) {
  return static_cast<std::uint32_t>(
      std::count_if(keys.begin(), keys.end(), [&](std::uint64_t key) { return key >= least; }));
}

RankBin chosen_bin(const std::vector<std::uint32_t>& bins, std::uint32_t wanted) {
  const ChosenBin chosen = choose_bin(bins.data(), kRankBins, wanted);
  return {chosen.bin, wanted - static_cast<std::uint32_t>(chosen.wanted), bins[chosen.bin]};
}

Outcome run(const std::vector<std::uint64_t>& keys, Search search) {
  int levels = 0;
  for (; !search.done() && levels < 20; ++levels) {
    std::vector<std::uint32_t> bins(kRankBins);
    for (const std::uint64_t key : keys)
      if (search.holds(key)) ++bins.at(search.bin(key));
    EXPECT_GE(search.wanted(), 1U);
    search.chose(chosen_bin(bins, search.wanted()));
  }
  EXPECT_TRUE(search.done());
  return {search.low(), search.at_low(), levels};
}

std::vector<std::uint64_t> random_keys(std::size_t size, std::uint64_t below) {
  std::mt19937_64 random(size);
  std::vector<std::uint64_t> keys(size);
  for (std::uint64_t& key : keys) key = random() % below;
  return keys;
}

std::vector<std::uint64_t> distinct_down(std::vector<std::uint64_t> keys) {
  std::sort(keys.begin(), keys.end(), std::greater<>());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

TEST(RankSearch, SeparatesTheWantedOfDistinctKeys) {
  for (const std::uint64_t below :
       {std::uint64_t{2000}, std::uint64_t{1} << 39, ~std::uint64_t{0}}) {
    const std::vector<std::uint64_t> keys = distinct_down(random_keys(900, below));
    const auto size = static_cast<std::uint32_t>(keys.size());
    for (const std::uint32_t wanted : {1U, 2U, 200U, 512U, size - 1}) {
      const Outcome outcome = run(keys, {0, below - 1, size, wanted, wanted});
      EXPECT_EQ(outcome.at_low, wanted);
      EXPECT_LE(outcome.low, keys[wanted - 1]);
      EXPECT_GT(outcome.low, keys[wanted]);
      EXPECT_LE(outcome.levels, 8);
    }
  }
}

TEST(RankSearch, EndsAtTheKeyWhereEqualOnesStraddleTheCount) {
  const std::vector<std::uint64_t> keys{9, 7, 7, 7, 7, 3, 1};
  const Outcome outcome = run(keys, {0, 15, 7, 3, 3});
  EXPECT_EQ(outcome.low, 7U);
  EXPECT_EQ(outcome.at_low, 5U);
}

TEST(RankSearch, EndsEarlyWhereFewMoreDo) {
  const std::vector<std::uint64_t> keys = random_keys(1024, 1 << 16);
  const Outcome outcome = run(keys, {0, (1 << 16) - 1, 1024, 200, 225});
  EXPECT_GE(outcome.at_low, 200U);
  EXPECT_LE(outcome.at_low, 225U);
  EXPECT_EQ(outcome.at_low, reaching(keys, outcome.low));
  EXPECT_EQ(outcome.levels, 1);
}

TEST(RankSearch, NeedsNoLevelWhereFewEnoughAreThere) {
  EXPECT_EQ(run({}, {5, 100, 210, 200, 225}).levels, 0);
}

// The last row's bound is near as a rule: one level. Whatever it is: the right end.
TEST(RankSearch, LooksAnywhereFirstAndEndsRight) {
  const std::vector<std::uint64_t> keys = distinct_down(random_keys(1024, 1 << 16));
  const auto size = static_cast<std::uint32_t>(keys.size());
  const std::uint64_t place = keys[199];
  for (const std::uint64_t low : {std::uint64_t{0}, keys.back()})
    for (const int shift : {0, 1, 8, 9})
      for (const std::uint64_t begin :
           {std::uint64_t{0}, std::uint64_t{1}, place - 3000, place - 255, place - 128, place,
            place + 1, place + 300, std::uint64_t{65535}, std::uint64_t{1} << 40,
            ~std::uint64_t{0}}) {
        Search search(low, (1 << 16) - 1, size, 200, 200);
        search.look_near(begin, shift);
        const Outcome outcome = run(keys, search);
        EXPECT_EQ(outcome.at_low, 200U) << begin << " " << shift;
        EXPECT_EQ(reaching(keys, outcome.low), 200U) << begin << " " << shift;
        EXPECT_LE(outcome.levels, 4) << begin << " " << shift;
        if (begin == place - 128 && shift == 0) {
          EXPECT_EQ(outcome.levels, 1);
        }
      }
}

// As candidates are searched: 16 bits of a key's order, its lower bits and the column behind them.
TEST(RankSearch, TellsEqualKeysByTheirColumns) {
  constexpr int kPlaceBits = 16;
  std::vector<std::uint64_t> codes;
  for (std::uint64_t column = 0; column < 600; ++column)
    codes.push_back((0xc000 + column % 3) << kPlaceBits | (0xffff - column * 81));
  const std::uint64_t cut = std::uint64_t{0xc000} << kPlaceBits;
  Search search(cut, (std::uint64_t{1} << 32) - 1, 600, 250, 250);
  search.look_near(cut, kPlaceBits);
  const Outcome outcome = run(codes, search);
  EXPECT_EQ(outcome.at_low, 250U);
  EXPECT_EQ(outcome.low >> kPlaceBits, 0xc001U);
  EXPECT_LE(outcome.levels, 3);
}

TEST(RankSearch, TakesKeysOf32Bits) {
  RankSearch<std::uint32_t> search(0x7f, 0xffff, 1024, 512, 512);
  EXPECT_TRUE(search.holds(0x7f) && search.holds(0xffff) && !search.holds(0x10000));
  EXPECT_EQ(search.bin(0x7f), 0U);
  EXPECT_EQ(search.bin(0xffff), kRankBins - 1);
  search.look_near(0U - 5U, 0);  // outside: as if it had not been asked
  EXPECT_EQ(search.bin(0x7f + 3), 3U);
  search.chose({kRankBins - 1, 0, 600});
  EXPECT_EQ(search.low(), 0x7fU + kRankBins - 1);
  EXPECT_FALSE(search.done());
}

// All bits are the key's: nothing may be lost above them.
TEST(RankSearch, FindsAmongAll32Bits) {
  std::mt19937 random(5);
  std::vector<std::uint32_t> keys(700);
  for (std::uint32_t& key : keys) key = static_cast<std::uint32_t>(random()) | 0xff000000U;
  keys[0] = 0xffffffffU;
  std::sort(keys.begin(), keys.end(), std::greater<>());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  const auto size = static_cast<std::uint32_t>(keys.size());
  for (const std::uint32_t wanted : {1U, 2U, 300U, size - 1})
    for (const int shift : {0, 8, 16, 24}) {
      RankSearch<std::uint32_t> search(0xf0000000U, 0xffffffffU, size, wanted, wanted);
      search.look_near(0xffffff00U, shift);
      for (int level = 0; !search.done() && level < 8; ++level) {
        std::vector<std::uint32_t> bins(kRankBins);
        for (const std::uint32_t key : keys)
          if (search.holds(key)) ++bins.at(search.bin(key));
        search.chose(chosen_bin(bins, search.wanted()));
      }
      EXPECT_TRUE(search.done()) << wanted << " " << shift;
      EXPECT_LE(search.low(), keys[wanted - 1]) << wanted << " " << shift;
      EXPECT_GT(search.low(), keys[wanted]) << wanted << " " << shift;
    }
}

}  // namespace
}  // namespace stepscope::kernels
