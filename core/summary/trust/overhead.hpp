// SPDX-License-Identifier: Apache-2.0
// The cost of recording, measured by the run itself (profile --window ON/OFF): the distance of step
// marks in recorded stretches over that in the unrecorded ones beside them.
//
// Marks are the annotations that also come in the gaps; the first distance of each stretch is left
// out (device collection is being switched there). A stretch gives the mean of its distances; a
// pair is a recorded stretch and the mean of the gaps on its sides, so that drift cancels. The
// ratio is the pairs' median; its interval holds the true median with 95 % (order statistics, no
// assumption about the distribution).
#pragma once

#include <optional>
#include <string>

#include "core/steps/steps.hpp"

namespace stepscope {

struct Overhead {
  double ratio = 1;  // recorded / plain
  double low = 1;    // 95 %
  double high = 1;
  std::size_t pairs = 0;  // for measure_left: distances before anything was recorded
};

// At least 6 pairs, for less has no interval of 95 %.
inline constexpr std::size_t kFewestPairs = 6;
std::optional<Overhead> measure_overhead(const Trace& trace, const Steps& steps);
// Measures the stretches in which the capture's counter says `state` (STEPSCOPE_WINDOW_LAYERS).
std::optional<Overhead> measure_overhead(const Trace& trace, const Steps& steps, double state);

// Returns why a run that was recorded in windows has no such figure; empty where it has one, and
// where there were no windows.
std::string why_no_overhead(const Trace& trace, const Steps& steps);

// What stays on an unrecorded step: CUPTI is still in the process, and once it recorded, launches
// are slower. Distances in the first gaps over those before anything was recorded, medians both; of
// the latter the first ones are the program's warm-up and left out, and the last 200 count. The
// interval is the widest quotient of the two medians' own; it does not know that the pace of a busy
// host drifts (on one, stretches of 100 steps differed by 5 to 26 %): an interval that lies below 1
// altogether is such a drift, since recording that is off makes no step faster. Absent where
// recording began too soon.
std::optional<Overhead> measure_left(const Trace& trace, const Steps& steps);

}  // namespace stepscope
