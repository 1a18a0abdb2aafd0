// SPDX-License-Identifier: Apache-2.0
#include "core/ladder/orders.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/core/ladder/sample_ladder.hpp"

namespace stepscope {
namespace {

using testing::Contains;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const RungName kBase{"R6", "bf16_weights", ""};

std::vector<RungName> named(std::size_t count) {
  std::vector<RungName> out;
  for (std::size_t i = 0; i < count; ++i)
    out.push_back({"R" + std::to_string(7 + i), std::string(1, static_cast<char>('a' + i)), ""});
  return out;
}

// A subset's rates in each repeat.
RungOrders orders_of(std::size_t count, const std::vector<std::vector<double>>& rates) {
  std::vector<RungRuns> subsets;
  for (const std::vector<double>& of : rates) subsets.push_back(samples::runs_of("S", "s", of));
  return make_orders("llm", kBase, named(count), subsets);
}

// Two rungs that save the same time: whichever comes first gets it.
TEST(Shapley, SharesWhatTwoCanBothSave) {
  EXPECT_THAT(shapley_values({0, 4, 4, 4}, 2), ElementsAre(2, 2));
}

// The glove game: a alone is worth nothing without b or c. Known values 2/3, 1/6, 1/6.
TEST(Shapley, IsThatOfTheGloveGame) {
  EXPECT_THAT(
      shapley_values({0, 0, 0, 1, 0, 1, 0, 1}, 3),
      ElementsAre(DoubleNear(2 / 3., 1e-12), DoubleNear(1 / 6., 1e-12), DoubleNear(1 / 6., 1e-12)));
}

// Rungs that know nothing of each other: each order says the same.
TEST(Orders, OfIndependentRungsAllColumnsAgree) {
  const RungOrders orders = orders_of(2, {{100, 50}, {200, 100}, {300, 150}, {600, 300}});
  ASSERT_EQ(orders.rungs.size(), 2U);
  for (const auto& [gain, factor] : {std::pair{orders.rungs[0], 2.0}, {orders.rungs[1], 3.0}}) {
    EXPECT_NEAR(gain.share.value, factor, 1e-9);
    EXPECT_NEAR(*gain.share.high, factor, 1e-9) << "a host that drifts moves all of a repeat";
    EXPECT_NEAR(gain.alone.value, factor, 1e-9);
    EXPECT_NEAR(gain.behind_all.value, factor, 1e-9);
    EXPECT_NEAR(gain.least, factor, 1e-9);
    EXPECT_NEAR(gain.most, factor, 1e-9);
  }
  EXPECT_NEAR(orders.in_all.value, 6, 1e-9);
}

TEST(Orders, ARungThatFindsLessToSaveBehindAnotherSaysSo) {
  const RungOrders orders = orders_of(2, {{100}, {400}, {400}, {400}});
  const SharedGain& gain = orders.rungs[0];
  EXPECT_NEAR(gain.share.value, 2, 1e-9);
  EXPECT_NEAR(gain.alone.value, 4, 1e-9);
  EXPECT_NEAR(gain.behind_all.value, 1, 1e-9);
  EXPECT_FALSE(gain.share.low) << "of one repeat";
  EXPECT_THAT(orders.subsets.notes, Contains(HasSubstr("whether R7, R8 gain or lose")));
}

// Whatever the rates: shares multiply to the whole gain and lie between the least and the most.
TEST(Orders, SharesMultiplyToTheWhole) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> rate(10, 1000);
  for (int round = 0; round < 100; ++round) {
    const std::size_t count = 2 + random() % 4;
    std::vector<std::vector<double>> rates(std::size_t{1} << count);
    for (auto& of : rates) of = {rate(random), rate(random), rate(random)};
    const RungOrders orders = orders_of(count, rates);
    double product = 1;
    for (const SharedGain& gain : orders.rungs) {
      product *= gain.share.value;
      EXPECT_GE(gain.share.value, gain.least * (1 - 1e-9));
      EXPECT_LE(gain.share.value, gain.most * (1 + 1e-9));
    }
    EXPECT_NEAR(product / orders.in_all.value, 1, 1e-9);
  }
}

TEST(Orders, ASubsetThatFailedLeavesNoShares) {
  const RungOrders orders = orders_of(2, {{100}, {200}, {}, {400}});
  EXPECT_THAT(orders.rungs, IsEmpty());
  EXPECT_THAT(orders.subsets.notes, Contains(HasSubstr("a subset did not run")));
}

TEST(Orders, ARungThatTakesAnotherAlongIsRefused) {
  std::vector<RungRuns> subsets;
  for (const char* id : {"R6", "R6+a", "R6+b", "R6+a+b"})
    subsets.push_back(samples::runs_of(id, "s", {100}));
  const std::vector<std::vector<std::string>> on = {{"x"}, {"x", "a"}, {"x", "packed", "b"}, {"x"}};
  for (std::size_t i = 0; i < 4; ++i) subsets[i].runs[0].rungs = on[i];
  const RungOrders orders = make_orders("llm", kBase, named(2), subsets);
  EXPECT_THAT(orders.rungs, IsEmpty());
  EXPECT_THAT(orders.subsets.notes, Contains(HasSubstr("R6+b needs packed")));
}

}  // namespace
}  // namespace stepscope
