// SPDX-License-Identifier: Apache-2.0
// Stretches of steps that take another time, among noise, long steps and turns.
#include "core/steps/unusual/levels.hpp"

#include <gtest/gtest.h>

#include <random>

namespace stepscope {
namespace {

using Walls = std::vector<std::int64_t>;

void add(Walls& walls, std::size_t count, std::int64_t wall_ns, double noise, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> factor(1, noise);
  for (std::size_t i = 0; i < count; ++i)
    walls.push_back(static_cast<std::int64_t>(static_cast<double>(wall_ns) * factor(random)));
}

TEST(Levels, ModelsThatOneLoopTrainsInTurnAreStretches) {
  Walls walls;
  add(walls, 128, 12'000, 0.05, 1);
  add(walls, 128, 3'600, 0.05, 2);
  add(walls, 128, 21'000, 0.05, 3);
  const auto levels = levels_of(walls);
  ASSERT_EQ(levels.size(), 3U);
  EXPECT_EQ(levels[0].last, 127U);
  EXPECT_EQ(levels[1].first, 128U);
  EXPECT_EQ(levels[1].last, 255U);
  EXPECT_EQ(levels[2].last, 383U);
  EXPECT_NEAR(static_cast<double>(levels[1].median_ns), 3'600, 60);
}

// A sweep over two sizes: neither side of any one boundary is of one level.
TEST(Levels, ModelsThatComeAgainAreStretches) {
  Walls walls;
  for (const std::int64_t ns : {1'400, 9'500, 1'200, 9'200}) add(walls, 40, ns, 0.1, 7);
  const auto levels = levels_of(walls);
  ASSERT_EQ(levels.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(levels[i].first, 40 * i);
    EXPECT_EQ(levels[i].last, 40 * i + 39);
  }
}

TEST(Levels, StretchesHoldAllStepsInOrder) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    std::mt19937_64 random(seed);
    Walls walls;
    for (int part = 0; part < 4; ++part)
      add(walls, 5 + random() % 90, static_cast<std::int64_t>(1'000 + random() % 9'000), 0.1, seed);
    std::size_t next = 0;
    for (const Level& level : levels_of(walls)) {
      EXPECT_EQ(level.first, next);
      EXPECT_GE(level.last, level.first);
      next = level.last + 1;
    }
    EXPECT_EQ(next, walls.size());
  }
}

TEST(Levels, OneLevelWithNoiseIsOne) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Walls walls;
    add(walls, 300, 10'000, 0.2, seed);
    EXPECT_EQ(levels_of(walls).size(), 1U) << seed;
  }
}

TEST(Levels, LongStepsAndTurnsAreNoLevels) {
  Walls evaluated, turns;
  add(evaluated, 200, 10'000, 0.05, 1);
  for (std::size_t i = 9; i < 200; i += 10) evaluated[i] = 90'000;
  EXPECT_EQ(levels_of(evaluated).size(), 1U);
  for (std::int64_t i = 0; i < 200; ++i) turns.push_back(i % 2 == 0 ? 5'000 : 20'000);
  EXPECT_EQ(levels_of(turns).size(), 1U);
}

TEST(Levels, FewStepsAreNoStretch) {
  Walls walls;
  add(walls, 5, 30'000, 0.01, 1);
  add(walls, 100, 10'000, 0.01, 2);
  EXPECT_EQ(levels_of(walls).size(), 1U);
  EXPECT_TRUE(levels_of({}).empty());
}

Steps steps_of(const Walls& walls) {
  Steps out;
  std::int64_t at = 0;
  for (std::size_t i = 0; i < walls.size(); ++i) {
    out.list.push_back({.id = static_cast<std::int64_t>(i), .window = {at, at + walls[i]}});
    at += walls[i];
  }
  return out;
}

TEST(Levels, TheNoteNamesThePartsAndHowToReportOne) {
  Walls walls;
  add(walls, 20, 2'000'000, 0, 1);
  add(walls, 30, 8'000'000, 0, 2);
  Steps steps = steps_of(walls);
  note_levels(steps);
  ASSERT_EQ(steps.notes.size(), 1U);
  EXPECT_EQ(
      steps.notes[0],
      "the usual step changes in the run: 2.00 ms in steps 0 to 19, 8.00 ms in steps 20 to 49; "
      "what is said of a step is the mean of all (report --steps 20:49 is of one of these "
      "parts)");
}

TEST(Levels, OneLevelIsNotNoted) {
  Walls walls;
  add(walls, 50, 2'000'000, 0.01, 1);
  Steps steps = steps_of(walls);
  note_levels(steps);
  EXPECT_TRUE(steps.notes.empty());
}

}  // namespace
}  // namespace stepscope
