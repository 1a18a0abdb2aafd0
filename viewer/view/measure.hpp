// SPDX-License-Identifier: Apache-2.0
// The content of a range of time: the owners of its time, which sum to the range, and for each lane
// how many events touch it, how long they are, and what share of the range they cover.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/summary/rows/operation_rows.hpp"
#include "viewer/view/lanes.hpp"

namespace stepscope::viewer {

struct LaneMeasure {
  std::uint32_t lane = 0;
  LengthSpread lengths;      // lengths of whole events
  std::int64_t sum_ns = 0;   // inside the range, overlaps counted twice
  std::int64_t busy_ns = 0;  // covered, overlaps counted once
};

struct Measurement {
  Interval range;
  std::vector<PartSum> owners;  // largest first; with what lies outside all steps: the range
  std::int64_t outside_ns = 0;  // before the first step or after the last
  std::vector<LaneMeasure> lanes;
};

Measurement measure(const Run& run, const std::vector<Lane>& lanes, Interval range);

// Two ranges beside each other, A and B.
using Measurements = std::array<const Measurement*, 2>;
struct OwnerPair {
  Cause cause = Cause::unknown;
  std::array<std::int64_t, 2> ns{};
};
std::vector<OwnerPair> pair_owners(const Measurements& sides);  // the largest of either first

// The lanes of one kind and title, in their order: ids of threads differ from run to run.
struct LanePair {
  std::array<const LaneMeasure*, 2> sides{};  // nullptr where that side has none
};
using LaneLists = std::array<const std::vector<Lane>*, 2>;
std::vector<LanePair> pair_lanes(const Measurements& sides, const LaneLists& lanes);

}  // namespace stepscope::viewer
