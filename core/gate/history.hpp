// SPDX-License-Identifier: Apache-2.0
// Whether a metric rose somewhere in a series of stored results, oldest first: what a gate against
// one baseline misses when each change stays below its tolerance.
//
// A result is one run, or several of which the median counts. Results that cannot be compared with
// the newest one (another device, another size of work) are left out. A regression is a rise within
// the last `recent` results from whose level before the newest level lies beyond the tolerance:
// small rises add up, and one that was taken back is none. Where there are too few results to tell
// a rise from chance, or the newest ones may be one, it is inconclusive.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/gate/verdict.hpp"

namespace stepscope {

struct HistoryResult {
  std::string name;
  std::vector<Summary> runs;
};

struct HistoryOptions {
  std::vector<Metric> metrics;
  double tolerance = 0.02;
  double level = 0.001;  // chance of a false change in any of the metrics
  std::size_t recent = 10;
};

struct HistoryPoint {
  std::string name;
  std::optional<double> value;  // a step
  std::string left_out;         // why it has none
};

struct LevelChange {
  std::size_t at = 0;  // place in points of the first result of the new level
  double before = 0;   // medians of both levels
  double after = 0;
  double chance = 0;
};

struct MetricHistory {
  Metric metric;
  Outcome outcome = Outcome::inconclusive;
  std::string why;  // one sentence
  std::vector<HistoryPoint> points;
  std::vector<LevelChange> changes;
};

struct History {
  Outcome outcome = Outcome::inconclusive;
  HistoryOptions options;
  std::vector<MetricHistory> metrics;
};

History judge_history(const HistoryOptions& options, const std::vector<HistoryResult>& results);

}  // namespace stepscope
