// SPDX-License-Identifier: Apache-2.0
#include "viewer/view/details.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/attribution/process_index.hpp"
#include "core/report/wording/numbers.hpp"
#include "core/support/duration.hpp"

namespace stepscope::viewer {
namespace {

constexpr std::size_t kMostLinks = 8;

std::string duration_text(std::int64_t ns) {
  return format_duration(static_cast<double>(ns));
}

std::string kind_name(HostKind kind) {
  switch (kind) {
    case HostKind::op:
      return "framework op";
    case HostKind::backward_node:
      return "backward node";
    case HostKind::user_scope:
      return "record_function range";
    case HostKind::nvtx_range:
      return "NVTX range";
    case HostKind::python_function:
      return "Python function";
    case HostKind::runtime_call:
      return "CUDA runtime call";
    case HostKind::driver_call:
      return "CUDA driver call";
    case HostKind::overhead:
      return "the profiler's own work";
    case HostKind::garbage_collection:
      return "garbage collection";
    case HostKind::off_cpu:
      return "thread not scheduled";
    case HostKind::io:
      return "blocking I/O";
    case HostKind::other:
      break;
  }
  return "other";
}

bool is_own(const Run& run, DeviceOpId op) {
  const StreamId stream = run.trace.device_ops().stream[op];
  return run.trace.data().streams[stream].process == run.steps.process;
}

// A glance has no attribution yet.
bool is_attributed(const Run& run, DeviceOpId op) {
  return run.attribution.index != nullptr && is_own(run, op);
}

struct HeldUp {
  const char* how;
  EventRef by;
};

std::optional<HeldUp> held_up_by(const Run& run, DeviceOpId op) {
  if (!is_attributed(run, op)) return std::nullopt;
  const Readiness ready = run.attribution.index->dependencies.readiness(op);
  const EventRef before{EventKind::device_op, ready.predecessor};
  switch (ready.binding) {
    case Binding::none:
      break;
    case Binding::launch:
      return HeldUp{"Waited for launch",
                    {EventKind::host_range, run.trace.calls().range[ready.launch]}};
    case Binding::stream:
      return HeldUp{"Waited for stream", before};
    case Binding::graph:
      return HeldUp{"Waited for graph", before};
    case Binding::event:
      return HeldUp{"Waited for event", before};
  }
  return std::nullopt;
}

class Sheet {
 public:
  Sheet(const Run& run, EventRef event) : run_(run), event_(event), time_(time_of(run, event)) {}

  std::vector<Detail> rows() {
    when();
    switch (event_.kind) {
      case EventKind::step:
        step();
        break;
      case EventKind::segment:
        segment();
        break;
      case EventKind::gap:
        gap();
        break;
      case EventKind::phase_stay:
        say("Phase", phase_path(run_, run_.phase_stays[event_.id].phase));
        break;
      case EventKind::host_range:
        host_range();
        break;
      case EventKind::device_op:
        device_op();
        break;
      case EventKind::sync:
        break;
    }
    findings();
    return std::move(rows_);
  }

 private:
  void say(std::string what, std::string value, std::optional<EventRef> to = std::nullopt) {
    if (!value.empty()) rows_.push_back({std::move(what), std::move(value), to});
  }
  void lead(const char* what, EventRef to) {
    say(what, fmt::format("{}  {}", label_of(run_, to), duration_text(time_of(run_, to).length())),
        to);
  }

  void when() {
    say("Duration", duration_text(time_.length()));
    const std::vector<Step>& steps = run_.steps.list;
    const auto inside = std::find_if(steps.begin(), steps.end(), [&](const Step& step) {
      return step.window.contains(time_.begin);
    });
    if (inside == steps.end() || event_.kind == EventKind::step) return;
    say("Begins", fmt::format("{} into step {}", duration_text(time_.begin - inside->window.begin),
                              inside->id));
  }

  void step() {
    const Step& step = run_.steps.list[event_.id];
    if (!step.wall_known) say("Wall time", "not known: the trace ends before its work does");
    say("Not counted", step.why_not_steady);
    const PerCause<std::int64_t>& parts = run_.summary.step_parts[event_.id];
    std::vector<Cause> causes;
    for (std::size_t i = 0; i < kCauseCount; ++i) {
      if (parts[i] > 0) causes.push_back(static_cast<Cause>(i));
    }
    std::sort(causes.begin(), causes.end(),
              [&](Cause a, Cause b) { return parts[index_of(a)] > parts[index_of(b)]; });
    for (const Cause cause : causes) {
      const std::int64_t ns = parts[index_of(cause)];
      say(std::string(name_of(cause)), share_text(ns));
    }
  }

  void segment() {
    const Segment& s = partition_of(run_, event_.partition).segments[event_.id];
    say("Owner", fmt::format("{}: {}", name_of(s.cause), meaning_of(s.cause)));
    say("Phase", phase_path(run_, s.phase));
    say("Line", line_text(run_, s.site, s.direction));
    if (s.device_evidence != kNone) lead("Shown by", {EventKind::device_op, s.device_evidence});
    if (s.host_evidence != kNone) lead("Shown by", {EventKind::host_range, s.host_evidence});
  }

  void gap() {
    const IdleGap& gap = gap_of(run_, event_);
    for (const GapOwner& owner : owners_of(partition_of(run_, event_.partition), gap))
      say(std::string(name_of(owner.cause)), share_text(owner.ns));
    say("Phase", phase_path(run_, gap.phase));
    say("Line", site_text(run_, gap.site));
    if (gap.before != kNone) lead("After", {EventKind::device_op, gap.before});
    if (gap.after == kNone) return;
    lead("Ended by", {EventKind::device_op, gap.after});
    held_by(gap.after);
  }

  std::string share_text(std::int64_t ns) const {
    const auto whole = static_cast<double>(std::max<std::int64_t>(1, time_.length()));
    return fmt::format("{}  {}", duration_text(ns), format_share(static_cast<double>(ns) / whole));
  }

  // Adds what the op waited for last: its predecessor on the critical path.
  void held_by(DeviceOpId op) {
    if (const auto held = held_up_by(run_, op)) lead(held->how, held->by);
  }

  // Findings whose evidence this event is, or whose line it is at.
  void findings() {
    if (!run_.summary.findings) return;
    for (const Finding& finding : run_.summary.findings->found) {
      const bool shown = std::find(finding.evidence.begin(), finding.evidence.end(),
                                   id_of(event_)) != finding.evidence.end();
      if (shown || at_a_place_of(finding))
        say(shown ? "Finding" : "Finding at this line", finding.id + ": " + finding.title);
    }
  }

  SiteId site_of_event() const {
    if (event_.kind == EventKind::segment)
      return partition_of(run_, event_.partition).segments[event_.id].site;
    if (event_.kind == EventKind::gap) return gap_of(run_, event_).site;
    if (event_.kind == EventKind::host_range) return run_.trace.host_ranges().site[event_.id];
    return kNone;
  }

  bool at_a_place_of(const Finding& finding) const {
    const SiteId site = site_of_event();
    if (site == kNone) return false;
    const Site& at = run_.trace.data().sites[site];
    return std::any_of(finding.places.begin(), finding.places.end(),
                       [&](const FindingPlace& place) {
                         return place.line == at.line && place.file == run_.trace.text(at.file);
                       });
  }

  // The nearest line of the range or of what encloses it.
  std::string line_of(RangeId range) const {
    const HostRanges& h = run_.trace.host_ranges();
    for (; range != kNone; range = h.parent[range]) {
      if (h.site[range] != kNone) return site_text(run_, h.site[range]);
    }
    return "";
  }

  void host_range() {
    const HostRanges& h = run_.trace.host_ranges();
    const RangeId range = event_.id;
    say("Kind", kind_name(h.kind[range]));
    say("Line", line_of(range));
    if (h.sequence[range] != kNoSequence)
      say("Autograd sequence", std::to_string(h.sequence[range]));
    if (h.parent[range] != kNone) lead("Inside", {EventKind::host_range, h.parent[range]});
    for (const EventRef op : linked_to(run_, event_)) lead("Launched", op);
  }

  void launch_of(DeviceOpId op) {
    const CallId call = run_.trace.launch_of(op);
    if (call == kNone) return say("Launch", "not in the trace");
    const RangeId range = run_.trace.calls().range[call];
    const HostRanges& h = run_.trace.host_ranges();
    lead("Launched by", {EventKind::host_range, range});
    say("After the call", duration_text(std::max<std::int64_t>(0, time_.begin - h.end[range])));
    if (h.parent[range] != kNone) lead("Inside", {EventKind::host_range, h.parent[range]});
    if (!is_attributed(run_, op)) say("Line", line_of(range));
  }

  void written_at(DeviceOpId op) {
    if (!is_attributed(run_, op)) return;
    const CodeLine line = run_.attribution.index->places.of(op).line;
    say("Line", line_text(run_, line.site, line.direction));
  }

  // Adds who entered a collective last, in a trace that holds all ranks.
  void last_rank(DeviceOpId op) {
    const auto last = run_.attribution.last_entries.find(op);
    if (last == run_.attribution.last_entries.end()) return;
    const std::int64_t waited = std::min(time_.end, last->second.time) - time_.begin;
    say("Last to enter", fmt::format("rank {}", last->second.rank));
    say("Waited for it", duration_text(std::max<std::int64_t>(0, waited)));
  }

  void neighbours(DeviceOpId op) {
    const auto ops = run_.trace.ops_of(run_.trace.device_ops().stream[op]);
    const auto at = std::find(ops.begin(), ops.end(), op);
    if (at == ops.end()) return;
    if (at != ops.begin()) lead("Before it", {EventKind::device_op, *(at - 1)});
    if (at + 1 != ops.end()) lead("Next", {EventKind::device_op, *(at + 1)});
  }

  void device_op() {
    const DeviceOps& d = run_.trace.device_ops();
    const DeviceOpId op = event_.id;
    const OpOwner& owner = run_.attribution.ops[op];
    const Cause kind = run_.op_classes[op];
    say("Class", fmt::format("{}: {}", name_of(kind), meaning_of(kind)));
    if (is_own(run_, op)) say("Phase", phase_path(run_, owner.phase));
    written_at(op);
    launch_of(op);
    held_by(op);
    last_rank(op);
    if (d.bytes[op] != kUnknownBytes) {
      const auto bytes = static_cast<double>(d.bytes[op]);
      say("Size", format_bytes(bytes));
      if (time_.length() > 0)
        say("Rate", format_rate(1e9 * bytes / static_cast<double>(time_.length())) + " GB/s");
    }
    if (d.launch_config[op] != kNone) {
      const LaunchConfig& c = run_.trace.data().launch_configs[d.launch_config[op]];
      say("Grid", fmt::format("{} x {} x {}", c.grid[0], c.grid[1], c.grid[2]));
      say("Block", fmt::format("{} x {} x {}", c.block[0], c.block[1], c.block[2]));
      say("Registers", fmt::format("{} a thread", c.registers_per_thread));
      say("Shared memory", format_bytes(c.shared_bytes));
    }
    neighbours(op);
  }

  const Run& run_;
  EventRef event_;
  Interval time_;
  std::vector<Detail> rows_;
};

}  // namespace

std::vector<Detail> details_of(const Run& run, EventRef event) {
  return Sheet(run, event).rows();
}

std::optional<EventRef> led_to_by(const Run& run, EventRef event) {
  if (event.kind == EventKind::device_op) {
    const auto held = held_up_by(run, event.id);
    if (held) return held->by;
    const auto launch = linked_to(run, event);
    return launch.empty() ? std::nullopt : std::optional(launch.front());
  }
  if (event.kind == EventKind::gap && gap_of(run, event).before != kNone)
    return EventRef{EventKind::device_op, gap_of(run, event).before};
  if (event.kind != EventKind::host_range) return std::nullopt;
  const RangeId parent = run.trace.host_ranges().parent[event.id];
  return parent == kNone ? std::nullopt : std::optional(EventRef{EventKind::host_range, parent});
}

std::optional<EventRef> leads_to(const Run& run, EventRef event) {
  if (event.kind == EventKind::device_op) {
    const auto ops = run.trace.ops_of(run.trace.device_ops().stream[event.id]);
    const auto at = std::find(ops.begin(), ops.end(), event.id);
    if (at == ops.end() || at + 1 == ops.end()) return std::nullopt;
    return EventRef{EventKind::device_op, *(at + 1)};
  }
  const auto linked = linked_to(run, event);
  return linked.empty() ? std::nullopt : std::optional(linked.back());
}

std::vector<EventRef> linked_to(const Run& run, EventRef event) {
  std::vector<EventRef> out;
  if (event.kind == EventKind::device_op) {
    const CallId call = run.trace.launch_of(event.id);
    if (call != kNone) out.push_back({EventKind::host_range, run.trace.calls().range[call]});
  }
  if (event.kind == EventKind::host_range) {
    const CallId call = run.trace.call_of(event.id);
    if (call == kNone) return out;
    for (const DeviceOpId op : run.trace.ops_launched_by(call)) {
      if (out.size() < kMostLinks) out.push_back({EventKind::device_op, op});
    }
  }
  if (event.kind == EventKind::gap) {
    const IdleGap& gap = gap_of(run, event);
    if (gap.before != kNone) out.push_back({EventKind::device_op, gap.before});
    if (gap.after != kNone) out.push_back({EventKind::device_op, gap.after});
  }
  if (event.kind == EventKind::segment) {
    const Segment& s = partition_of(run, event.partition).segments[event.id];
    if (s.device_evidence != kNone) out.push_back({EventKind::device_op, s.device_evidence});
    if (s.host_evidence != kNone) out.push_back({EventKind::host_range, s.host_evidence});
  }
  return out;
}

}  // namespace stepscope::viewer
