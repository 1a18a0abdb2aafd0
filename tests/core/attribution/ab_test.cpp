// SPDX-License-Identifier: Apache-2.0
// A/A: ten repeats of one program, every duration jittered by 1 to 3 %, and no group of causes
// moves by more than 2 points of the wall time. Half of the programs are nearly balanced between
// host and device, where a less stable attribution swings.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iostream>

#include "core/attribution/attribution.hpp"
#include "tests/simulator/machine.hpp"
#include "tests/simulator/recording.hpp"

namespace stepscope::simulator {
namespace {

constexpr double kMostPoints = 2.0;
constexpr int kRepeats = 10;

constexpr std::array kGroups = {"gpu",  "comm",   "copy", "device idle, work issued",
                                "host", "unknown"};
using Points = std::array<double, kGroups.size()>;

std::size_t group_of(Cause cause) {
  if (cause <= Cause::gpu_other) return 0;
  if (cause <= Cause::comm_late_rank) return 1;
  if (cause <= Cause::copy_set) return 2;
  if (is_unexplained(cause)) return 5;
  return cause < Cause::host_python ? 3 : 4;
}

Points shares(const Program& program, std::uint64_t noise_seed) {
  const auto run = execute(program, noise_seed);
  const Trace trace = record(run);
  const Result<Attribution> found = attribute(trace, true_steps(run, trace));
  Points points{};
  std::int64_t wall = 0;
  for (const Interval& window : run.windows) wall += window.length();
  for (const Cell& cell : found.value().process.cells) {
    points[group_of(cell.cause)] += 100 * static_cast<double>(cell.ns) / static_cast<double>(wall);
  }
  return points;
}

// The most that any group moves over the repeats, in points of wall time.
double movement(Program program, std::uint64_t seed, std::string& what) {
  Points low{};
  Points high{};
  for (int i = 0; i < kRepeats; ++i) {
    program.noise = 0.01 + 0.02 * i / (kRepeats - 1);
    const Points now = shares(program, seed * 1000 + static_cast<std::uint64_t>(i));
    for (std::size_t g = 0; g < now.size(); ++g) {
      low[g] = i == 0 ? now[g] : std::min(low[g], now[g]);
      high[g] = i == 0 ? now[g] : std::max(high[g], now[g]);
    }
  }
  double most = 0;
  for (std::size_t g = 0; g < kGroups.size(); ++g) {
    if (high[g] - low[g] > most) what = kGroups[g];
    most = std::max(most, high[g] - low[g]);
  }
  return most;
}

class SameProgram : public ::testing::TestWithParam<bool> {};

TEST_P(SameProgram, NoGroupMovesByMoreThanTwoPoints) {
  const bool balanced = GetParam();
  double most = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Program program = balanced ? balanced_program(seed) : random_program(3 * seed + 1);
    program.steps = 20;
    std::string group;
    const double points = movement(program, seed, group);
    EXPECT_LE(points, kMostPoints) << "program " << seed << ": " << group;
    most = std::max(most, points);
  }
  std::cout << "largest movement of a group: " << most << " points\n";
}

INSTANTIATE_TEST_SUITE_P(Programs, SameProgram, ::testing::Bool(),
                         [](const auto& which) { return which.param ? "Balanced" : "Mixed"; });

}  // namespace
}  // namespace stepscope::simulator
