// SPDX-License-Identifier: Apache-2.0
// Readings of clocks that only grow, from the counters of a trace: CPU time of processes and of their children.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/trace.hpp"
#include "core/support/interval.hpp"

namespace stepscope {

struct ClockReading {
  std::int64_t time = 0;
  double value = 0;  // in the counter's unit
};

using ClockReadings = std::vector<ClockReading>;  // in order of time

// Returns the readings of the counters whose name begins so, by process and the rest of the name.
std::map<std::pair<ProcessId, std::string>, ClockReadings> readings_of(const Trace& trace,
                                                                       std::string_view prefix);

// Returns by how much the clock grew within `time`, by the readings next to its ends: between two, it
// is taken to grow evenly.
double growth_in(const ClockReadings& readings, Interval time);

}  // namespace stepscope
