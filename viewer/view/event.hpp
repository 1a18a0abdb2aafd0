// SPDX-License-Identifier: Apache-2.0
// Everything that can be pointed at on the timeline: a row of one of the run's tables.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/attribution/cause.hpp"
#include "viewer/view/run.hpp"

namespace stepscope::viewer {

enum class EventKind : std::uint8_t {
  step,        // Steps::list
  segment,     // Attribution::process.segments, or those of a device
  gap,         // Run::gaps, or those of a device
  phase_stay,  // Run::phase_stays
  host_range,  // HostRanges
  device_op,   // DeviceOps
  sync,        // Syncs
};

struct EventRef {
  EventKind kind = EventKind::step;
  std::uint32_t id = 0;
  std::uint32_t partition =
      Partition::kWholeProcess;  // for a segment or gap: row of Attribution::devices

  friend bool operator==(const EventRef&, const EventRef&) = default;
};

// What decides an event's colour. `index` is the cause, the phase, the host kind or nothing. As
// large as Box::look, so that a lane's rows carry it.
struct Look {
  enum class By : std::uint8_t { cause, phase, host_kind, step, wait } by = By::step;
  bool faint = false;  // a step that is not counted
  std::uint16_t index = 0;
};

const Partition& partition_of(const Run& run, std::uint32_t partition);
const IdleGap& gap_of(const Run& run, EventRef event);

Interval time_of(const Run& run, EventRef event);
// As it stands in the trace.
std::string_view name_of(const Run& run, EventRef event);
// Short enough for a box: kernels without namespaces and parameters, a segment's cause.
std::string label_of(const Run& run, EventRef event);
Look look_of(const Run& run, EventRef event);

// "forward/topk"; "(no phase)" for the root.
std::string phase_path(const Run& run, PhaseId phase);
// "train.py:96 (compute_loss)"; empty where the line is not known.
std::string site_text(const Run& run, SiteId site);
// The same with the pass of autograd that worked for the line: "train.py:96 (step) backward".
std::string line_text(const Run& run, SiteId site, Direction direction);
// Returns the phase of a segment, gap, visit or device op; the root where it has none.
PhaseId phase_of(const Run& run, EventRef event);

// "h12" is host range 12, "d34" device op 34: how findings and lines name their evidence.
std::optional<EventRef> event_named(const Run& run, std::string_view id);
std::string id_of(EventRef event);  // empty for what has no such id

}  // namespace stepscope::viewer
