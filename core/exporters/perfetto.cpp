// SPDX-License-Identifier: Apache-2.0
// Perfetto's own format: a file of TracePackets with TrackEvents. Names are interned, so that each
// is written once. Lanes beyond the first are tracks of the same name under the same parent, which
// the viewer draws as one. Arrows (flows) lead from each launch to its device ops.
#include <limits>
#include <map>
#include <string>
#include <unordered_map>

#include "core/exporters/exported.hpp"
#include "core/exporters/file_sink.hpp"
#include "core/exporters/protobuf.hpp"
#include "core/exporters/timeline.hpp"

namespace stepscope {
namespace {

using exporting::FileSink;
using exporting::Message;
using exporting::Slice;
using exporting::Timeline;
using exporting::Track;
using exporting::TrackKind;

// Field numbers of perfetto/protos/perfetto/trace, by message.
namespace packet_field {
constexpr std::uint32_t kTimestamp = 8, kSequence = 10, kTrackEvent = 11, kInterned = 12,
                        kFlags = 13, kTrackDescriptor = 60;
}
namespace event_field {
constexpr std::uint32_t kAnnotation = 4, kType = 9, kNameId = 10, kTrack = 11, kDoubleValue = 44,
                        kFlow = 47, kTerminatingFlow = 48;
}
namespace track_field {
constexpr std::uint32_t kUuid = 1, kName = 2, kProcess = 3, kThread = 4, kParent = 5, kCounter = 8,
                        kOrdering = 11, kRank = 12;
}
enum EventType : std::uint64_t { kBegin = 1, kEnd = 2, kInstant = 3, kCounterValue = 4 };
constexpr std::uint64_t kStateCleared = 1, kNeedsState = 2, kExplicitOrder = 3;

class PerfettoWriter {
 public:
  PerfettoWriter(const Exported& run, FileSink& to, const Progress& progress)
      : run_(run), to_(to), progress_(progress) {}

  void write() {
    Message first;
    first.number(packet_field::kFlags, kStateCleared);
    put(first);
    timeline_ = exporting::timeline_of(run_);
    describe_processes();
    std::uint64_t rank = 0;
    for (const Track& track : timeline_.tracks) write_track(track, ++rank);
    write_counters();
    write_marks();
  }

 private:
  static std::uint64_t process_uuid(ProcessId process) { return std::uint64_t{process} + 1; }
  std::uint64_t new_uuid() { return next_uuid_++; }

  void put(Message& packet) {
    packet.number(packet_field::kSequence, 1);
    Message file;
    file.message(1, packet);
    to_.write(file.bytes());
  }

  void describe(const Message& track) {
    Message packet;
    packet.message(packet_field::kTrackDescriptor, track);
    put(packet);
  }

  void describe_processes() {
    for (ProcessId id = 0; id < run_.trace.data().processes.size(); ++id) {
      const Process& process = run_.trace.data().processes[id];
      Message facts;
      facts.number(1, static_cast<std::uint64_t>(process.pid));
      const std::string rank =
          process.rank >= 0 ? " (rank " + std::to_string(process.rank) + ")" : "";
      facts.text(6, (process.name.empty() ? "process" : process.name) + rank);
      Message track;
      track.number(track_field::kUuid, process_uuid(id));
      track.message(track_field::kProcess, facts).number(track_field::kOrdering, kExplicitOrder);
      describe(track);
    }
  }

  std::uint64_t describe_lane(const Track& track, std::size_t lane, std::uint64_t rank) {
    const std::uint64_t uuid = new_uuid();
    Message out;
    out.number(track_field::kUuid, uuid).text(track_field::kName, track.name);
    out.number(track_field::kParent, process_uuid(track.process));
    out.number(track_field::kRank, rank);
    if (track.kind == TrackKind::thread && lane == 0) {
      const Thread& thread = run_.trace.data().threads[track.row];
      Message facts;
      facts.number(1, static_cast<std::uint64_t>(run_.trace.data().processes[track.process].pid));
      facts.number(2, static_cast<std::uint64_t>(thread.tid)).text(5, track.name);
      out.message(track_field::kThread, facts);
    }
    describe(out);
    return uuid;
  }

  void write_track(const Track& track, std::uint64_t rank) {
    for (std::size_t lane = 0; lane < track.lanes.size(); ++lane) {
      const std::uint64_t uuid = describe_lane(track, lane, rank);
      std::vector<std::int64_t> open;
      for (const Slice& slice : track.lanes[lane]) {
        close_until(slice.begin, uuid, open);
        begin(track, slice, uuid);
        open.push_back(slice.end);
      }
      close_until(std::numeric_limits<std::int64_t>::max(), uuid, open);
    }
  }

  void close_until(std::int64_t time, std::uint64_t track, std::vector<std::int64_t>& open) {
    for (; !open.empty() && open.back() <= time; open.pop_back()) {
      Message event;
      event.number(event_field::kType, kEnd).number(event_field::kTrack, track);
      put_event(open.back(), event, {});
    }
  }

  void begin(const Track& track, const Slice& slice, std::uint64_t uuid) {
    Message event;
    event.number(event_field::kType, kBegin).number(event_field::kTrack, uuid);
    if (track.kind == TrackKind::thread) add_flow_out(slice.row, event);
    if (track.kind == TrackKind::stream) add_device_facts(slice.row, event);
    if (track.kind == TrackKind::causes) add_cause_facts(track, slice.row, event);
    put_event(slice.begin, event, slice.name);
    if (++slices_ % 8192 == 0) report_progress(progress_, slices_, run_.trace.event_count());
  }

  void add_flow_out(RangeId range, Message& event) {
    const CallId call = run_.trace.call_of(range);
    if (call != kNone && !run_.trace.ops_launched_by(call).empty())
      event.fixed64(event_field::kFlow, std::uint64_t{call} + 1);
  }

  void add_device_facts(DeviceOpId op, Message& event) {
    const DeviceOps& d = run_.trace.device_ops();
    const CallId call = run_.trace.launch_of(op);
    if (call != kNone) event.fixed64(event_field::kTerminatingFlow, std::uint64_t{call} + 1);
    annotate(event, "correlation", d.correlation[op]);
    if (d.bytes[op] != kUnknownBytes) annotate(event, "bytes", d.bytes[op]);
    if (d.graph[op] != 0) annotate(event, "graph", d.graph[op]);
  }

  void add_cause_facts(const Track& track, std::uint32_t row, Message& event) {
    const Partition* partition = &run_.attribution.process;
    for (const Partition& device : run_.attribution.devices) {
      if (device.device == track.row) partition = &device;
    }
    const Segment& segment = partition->segments[row];
    annotate(event, "phase", run_.attribution.phases[segment.phase].name);
    if (segment.site == kNone) return;
    const Site& site = run_.trace.data().sites[segment.site];
    annotate(event, "line",
             std::string(run_.trace.text(site.file)) + ":" + std::to_string(site.line));
    if (segment.direction != Direction::none)
      annotate(event, "direction", name_of(segment.direction));
  }

  static void annotate(Message& event, std::string_view name, std::uint64_t value) {
    Message out;
    out.text(10, name).number(3, value);
    event.message(event_field::kAnnotation, out);
  }
  static void annotate(Message& event, std::string_view name, std::string_view value) {
    Message out;
    out.text(10, name).text(6, value);
    event.message(event_field::kAnnotation, out);
  }

  // An empty name is written for none, which ends and counters have.
  void put_event(std::int64_t time, Message& event, std::string_view name) {
    Message packet;
    packet.number(packet_field::kTimestamp, static_cast<std::uint64_t>(time));
    packet.number(packet_field::kFlags, kNeedsState);
    if (!name.empty()) {
      const auto [known, fresh] = names_.try_emplace(name, names_.size() + 1);
      if (fresh) {
        Message entry;
        entry.number(1, known->second).text(2, name);
        Message interned;
        interned.message(2, entry);
        packet.message(packet_field::kInterned, interned);
      }
      event.number(event_field::kNameId, known->second);
    }
    packet.message(packet_field::kTrackEvent, event);
    put(packet);
  }

  void write_counters() {
    const Counters& c = run_.trace.data().counters;
    std::map<std::pair<ProcessId, StringId>, std::uint64_t> tracks;
    for (std::size_t i = 0; i < c.size(); ++i) {
      const auto [track, fresh] = tracks.try_emplace({c.process[i], c.track[i]}, 0);
      if (fresh) {
        track->second = new_uuid();
        Message out;
        out.number(track_field::kUuid, track->second);
        out.text(track_field::kName, run_.trace.text(c.track[i]));
        out.number(track_field::kParent, process_uuid(c.process[i]));
        out.message(track_field::kCounter, Message()).number(track_field::kRank, 1U << 20U);
        describe(out);
      }
      Message event;
      event.number(event_field::kType, kCounterValue).number(event_field::kTrack, track->second);
      event.real(event_field::kDoubleValue, c.value[i]);
      put_event(c.time[i], event, {});
    }
  }

  void write_marks() {
    const Marks& m = run_.trace.data().marks;
    std::map<ThreadId, std::uint64_t> tracks;
    for (std::size_t i = 0; i < m.size(); ++i) {
      const ThreadId of = m.thread[i] == kNone ? run_.steps.thread : m.thread[i];
      const auto [track, fresh] = tracks.try_emplace(of, 0);
      if (fresh) {
        track->second = new_uuid();
        const Thread& thread = run_.trace.data().threads[of];
        Message out;
        out.number(track_field::kUuid, track->second);
        out.text(track_field::kName, "marks of thread " + std::to_string(thread.tid));
        out.number(track_field::kParent, process_uuid(thread.process));
        out.number(track_field::kRank, 1U << 21U);
        describe(out);
      }
      Message event;
      event.number(event_field::kType, kInstant).number(event_field::kTrack, track->second);
      put_event(m.time[i], event, run_.trace.text(m.name[i]));
    }
  }

  const Exported& run_;
  FileSink& to_;
  const Progress& progress_;
  Timeline timeline_;  // holds texts that names_ look into
  std::unordered_map<std::string_view, std::uint64_t> names_;
  std::uint64_t next_uuid_ = std::uint64_t{1} << 32U;
  std::uint64_t slices_ = 0;
};

}  // namespace

Status write_perfetto(const Exported& run, const ExportOptions&, const std::string& path,
                      const Progress& progress) {
  FileSink to(path);
  PerfettoWriter(run, to, progress).write();
  return to.finish();
}

}  // namespace stepscope
