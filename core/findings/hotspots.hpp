// SPDX-License-Identifier: Apache-2.0
// Which class of work, other than matrix products, takes much of a phase (rules/hotspot.cpp states when).
// Times are those that the class owns in the partition, less what other findings explain.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/findings/judged_run.hpp"

namespace stepscope::rules {

// The operations of a phase that only move memory: a chain is those that follow each other on their
// stream with no other operation between.
struct FusibleChains {
  std::vector<DeviceOpId> ops;
  std::int64_t ns = 0;
  std::int64_t longest_ns = 0;  // sum of each chain's longest kernel
  double stays() const {
    return ns > 0 ? static_cast<double>(longest_ns) / static_cast<double>(ns) : 1;
  }
};

struct Hotspot {
  Cause cause = Cause::gpu_other;
  PhaseId phase = 0;
  std::int64_t ns = 0;
  double of_phase = 0;
  // Share of the cause's time in the phase, without what no compiler makes faster.
  double of_cause = 1;
  double of_rows = 0;  // share of `ns` that reads or adds to rows
  std::optional<FusibleChains> chains =
      std::nullopt;  // where set, all that stands in them is the spot

  bool holds(const Segment& segment) const;
};

// Whether a segment is a graph whose inner work is not known.
bool is_whole_graph(const JudgedRun& run, const Segment& segment);

// Share of a hotspot that a better algorithm is expected to save.
inline constexpr double kAssumedGain = 0.5;

// Returns the largest, at most three, by their time.
std::vector<Hotspot> find_hotspots(const JudgedRun& run);

}  // namespace stepscope::rules
