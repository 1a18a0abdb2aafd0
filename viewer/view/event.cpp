// SPDX-License-Identifier: Apache-2.0
#include "viewer/view/event.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/model/api_kind.hpp"
#include "core/report/wording/numbers.hpp"
#include "core/report/wording/shown_path.hpp"

namespace stepscope::viewer {
namespace {

const Segment& segment_of(const Run& run, EventRef event) {
  return partition_of(run, event.partition).segments[event.id];
}

std::string_view sync_name(ApiKind api) {
  switch (api) {
    case ApiKind::sync_device:
      return "wait for the device";
    case ApiKind::sync_stream:
      return "wait for a stream";
    case ApiKind::sync_event:
      return "wait for an event";
    default:
      return "stream waits for an event";
  }
}

}  // namespace

const Partition& partition_of(const Run& run, std::uint32_t partition) {
  const Attribution& a = run.attribution;
  return partition == Partition::kWholeProcess ? a.process : a.devices[partition];
}

const IdleGap& gap_of(const Run& run, EventRef event) {
  const bool whole = event.partition == Partition::kWholeProcess;
  return whole ? run.gaps[event.id] : run.device_gaps[event.partition][event.id];
}

Interval time_of(const Run& run, EventRef event) {
  const TraceData& data = run.trace.data();
  const std::uint32_t id = event.id;
  switch (event.kind) {
    case EventKind::step:
      return run.steps.list[id].window;
    case EventKind::segment:
      return segment_of(run, event).time;
    case EventKind::gap:
      return gap_of(run, event).time;
    case EventKind::phase_stay:
      return run.phase_stays[id].time;
    case EventKind::host_range:
      return {data.host_ranges.begin[id], data.host_ranges.end[id]};
    case EventKind::device_op:
      return {data.device_ops.begin[id], data.device_ops.end[id]};
    case EventKind::sync:
      return {data.syncs.begin[id], data.syncs.end[id]};
  }
  return {};
}

std::string_view name_of(const Run& run, EventRef event) {
  const TraceData& data = run.trace.data();
  switch (event.kind) {
    case EventKind::step:
      return "step";
    case EventKind::segment:
      return name_of(segment_of(run, event).cause);
    case EventKind::gap:
      return name_of(gap_of(run, event).cause);
    case EventKind::phase_stay:
      return run.attribution.phases[run.phase_stays[event.id].phase].name;
    case EventKind::host_range:
      return run.trace.text(data.host_ranges.name[event.id]);
    case EventKind::device_op:
      return run.trace.text(data.device_ops.name[event.id]);
    case EventKind::sync:
      return sync_name(data.syncs.api[event.id]);
  }
  return "";
}

std::string label_of(const Run& run, EventRef event) {
  const std::string_view name = name_of(run, event);
  if (event.kind == EventKind::step) return fmt::format("step {}", run.steps.list[event.id].id);
  if (event.kind == EventKind::device_op) return short_kernel_name(name);
  return std::string(name);
}

Look look_of(const Run& run, EventRef event) {
  const auto by = [](Look::By what, auto index) {
    return Look{what, false, static_cast<std::uint16_t>(index)};
  };
  switch (event.kind) {
    case EventKind::step:
      return {Look::By::step, !run.steps.list[event.id].steady,
              static_cast<std::uint16_t>(event.id % 2)};
    case EventKind::segment:
      return by(Look::By::cause, segment_of(run, event).cause);
    case EventKind::gap:
      return by(Look::By::cause, gap_of(run, event).cause);
    case EventKind::phase_stay:
      return by(Look::By::phase, run.phase_stays[event.id].phase);
    case EventKind::host_range:
      return by(Look::By::host_kind, run.trace.data().host_ranges.kind[event.id]);
    case EventKind::device_op:
      return by(Look::By::cause, run.op_classes[event.id]);
    case EventKind::sync:
      return by(Look::By::wait, 0);
  }
  return {};
}

std::string phase_path(const Run& run, PhaseId phase) {
  if (phase == 0) return "(no phase)";
  const Phase& own = run.attribution.phases[phase];
  return own.parent == 0 ? own.name : phase_path(run, own.parent) + "/" + own.name;
}

std::string site_text(const Run& run, SiteId site) {
  if (site == kNone) return "";
  const Site& at = run.trace.data().sites[site];
  const std::string_view function = run.trace.text(at.function);
  const std::string line =
      fmt::format("{}:{}", shown_file(run.trace.text(at.file), run.summary.run), at.line);
  return function.empty() ? line : fmt::format("{} ({})", line, function);
}

std::string line_text(const Run& run, SiteId site, Direction direction) {
  const std::string line = site_text(run, site);
  return line.empty() ? line : line + direction_text(direction);
}

PhaseId phase_of(const Run& run, EventRef event) {
  switch (event.kind) {
    case EventKind::segment:
      return segment_of(run, event).phase;
    case EventKind::gap:
      return gap_of(run, event).phase;
    case EventKind::phase_stay:
      return run.phase_stays[event.id].phase;
    case EventKind::device_op:
      return run.attribution.ops[event.id].phase;
    default:
      return 0;
  }
}

std::optional<EventRef> event_named(const Run& run, std::string_view id) {
  std::uint32_t row = 0;
  const auto read =
      std::from_chars(id.data() + std::min<std::size_t>(1, id.size()), id.data() + id.size(), row);
  if (id.size() < 2 || read.ec != std::errc() || read.ptr != id.data() + id.size())
    return std::nullopt;
  if (id[0] == 'h' && row < run.trace.host_ranges().size())
    return EventRef{EventKind::host_range, row};
  if (id[0] == 'd' && row < run.trace.device_ops().size())
    return EventRef{EventKind::device_op, row};
  return std::nullopt;
}

std::string id_of(EventRef event) {
  if (event.kind == EventKind::host_range) return fmt::format("h{}", event.id);
  if (event.kind == EventKind::device_op) return fmt::format("d{}", event.id);
  return "";
}

}  // namespace stepscope::viewer
