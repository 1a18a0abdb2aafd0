// SPDX-License-Identifier: Apache-2.0
// Where a series changed its level: hierarchical division by energy statistics (E-divisive,
// Matteson and James 2014) with a permutation test.
//
// For a split of n + m values, E = 2 mean|x - y| - mean|x - x'| - mean|y - y'| over pairs of
// distinct values, and Q = E nm / (n + m). The m values may end before the series does, so that a
// level between two equal ones is seen. Among all splits of a part, the one with the largest Q is
// tested: the part's values are shuffled, and the chance is the share of shuffles whose best split
// is as good, the measured order counted among them. While that chance is at most `level`, the
// split is kept and its parts are split further. A level has at least three values, so that one
// outlier is none. Shuffles come from a fixed seed: equal series give equal answers. The time of a
// shuffle grows with the square of the series.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace stepscope {

struct ChangePoint {
  std::size_t at = 0;  // the first value of the new level
  double chance = 1;
};

inline constexpr std::size_t kShortestLevel = 3;

// The fewest values of a level that can be distinguished from another one in a series of that
// length, were there no noise; nothing where none is. Such a series has C(length, fewest) orders,
// of which two show the change, and twice that for the shuffles' own chance.
std::optional<std::size_t> fewest_of_level(std::size_t length, double level);

// The shortest series in which a change can be distinguished from chance.
std::size_t shortest_series(double level);

// Returns the change points in the order of the series.
std::vector<ChangePoint> change_points(const std::vector<double>& series, double level);

}  // namespace stepscope
