// SPDX-License-Identifier: Apache-2.0
// The lanes of the timeline, from top to bottom, and where on them an event is.
//
//   the run        steps, who owns the time (the exact partition as one band), idle gaps, phases
//   each device    a lane a stream: kernels; copies and sets; waits
//   each thread    named ranges (NVTX, record_function); ops and CUDA calls; Python functions
//   workers        a lane for each process beside the loop's that is no rank and drives no device
//   each device    a lane a counter: clock, power, memory
//
// A lane has a row for each depth of nesting or overlap (lod/sub_lanes.hpp): no event is left out.
// Threads come in order: the loop's own, then by number of events.
#pragma once

#include <bit>
#include <optional>
#include <string>
#include <vector>

#include "core/model/device_counter.hpp"
#include "viewer/lod/curve.hpp"
#include "viewer/lod/row.hpp"
#include "viewer/view/event.hpp"

namespace stepscope::viewer {

enum class LaneKind : std::uint8_t {
  steps,
  owners,
  gaps,
  phases,
  kernels,
  copies,
  waits,
  counter,
  annotations,
  calls,  // framework ops and CUDA calls
  python,
  other,
};

struct Lane {
  LaneKind kind = LaneKind::steps;
  std::string group;  // lanes of one group stand together under its name
  std::string title;
  std::string note;  // "1,204 events, 12 overlap"
  EventKind events = EventKind::step;
  std::uint32_t partition = Partition::kWholeProcess;
  std::vector<Row> rows;
  Curve curve;  // only for a counter, which has no rows
  DeviceCounter counter = DeviceCounter::sm_clock_mhz;
  bool is_aside = false;  // lane of a worker

  // Stays the same from run to run of a program: what is saved refers to it.
  std::string name() const { return group + "/" + title; }
  std::uint64_t event_count() const;
  EventRef event(std::uint32_t row, std::uint32_t index) const {
    return {events, rows[row].id(index), partition};
  }
};

// Returns the look of the longest event in the box, without reading that event.
inline Look look_of(const Box& box) {
  return std::bit_cast<Look>(box.look);
}

// An event on the timeline.
struct Spot {
  std::uint32_t lane = 0;
  std::uint32_t row = 0;
  std::uint32_t index = 0;
  friend bool operator==(const Spot&, const Spot&) = default;
};

// "1,755 MHz", "642 W", "12.3 GB".
std::string counter_text(DeviceCounter counter, double value);

std::vector<Lane> build_lanes(const Run& run);

// Nothing for an event that no lane shows (none such of a sound run).
std::optional<Spot> find_spot(const Run& run, const std::vector<Lane>& lanes, EventRef event);

}  // namespace stepscope::viewer
