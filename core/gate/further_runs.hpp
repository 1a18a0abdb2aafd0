// SPDX-License-Identifier: Apache-2.0
// How many more runs a side would most likely decide a time: enough that the bounds exist at the
// level, and that four in five such experiments distinguish the measured ratio from the tolerance,
// given the spread within the sides.
//
// By the normal approximation, n = 2 s^2 (z_level + z_0.8)^2 / (0.955 d^2), where s is the standard
// deviation of log times within a side, d the distance of the measured ratio from 1 + tolerance in
// logs, and 0.955 the efficiency of ranks. For paired runs, s is the standard deviation of log
// ratios and the factor 2 is left out.
#pragma once

#include <cstdint>
#include <optional>

#include "core/gate/rank_bound.hpp"

namespace stepscope {

// The smallest chance that the runs at hand can have, whatever their times.
double smallest_chance(const RatioSample& sample);

// More runs a side than these are not asked for.
inline constexpr std::uint64_t kMostRunsAsked = 100;

// Returns the number of further runs, at least 1. Nothing: more than kMostRunsAsked a side would be
// needed.
std::optional<std::uint64_t> further_runs(const RatioSample& sample, double tolerance,
                                          double level);

}  // namespace stepscope
