// SPDX-License-Identifier: Apache-2.0
// The JSON of Chrome's trace viewer, with the categories and arguments that PyTorch's profiler
// writes: Perfetto opens it, and so does everything that reads Kineto traces, our importer among
// them. Times are microseconds since baseTimeNanoseconds, with three decimals. Viewers of this
// format want events of one thread id to nest, so lanes beyond the first have ids of their own.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "core/exporters/exported.hpp"
#include "core/exporters/file_sink.hpp"
#include "core/exporters/json_text.hpp"
#include "core/exporters/timeline.hpp"

namespace stepscope {
namespace {

namespace ex = exporting;

// Streams and our own tracks stand under process ids that no process has.
constexpr std::int64_t kDevicePids = std::int64_t{1} << 30U, kOwnPids = std::int64_t{1} << 31U;
constexpr std::int64_t kLaneIds = std::int64_t{1} << 24U;

std::string_view category_of(HostKind kind) {
  switch (kind) {
    case HostKind::op:
    case HostKind::backward_node:
      return "cpu_op";
    case HostKind::user_scope:
    case HostKind::nvtx_range:
      return "user_annotation";
    case HostKind::python_function:
      return "python_function";
    case HostKind::runtime_call:
      return "cuda_runtime";
    case HostKind::driver_call:
      return "cuda_driver";
    case HostKind::overhead:
      return "overhead";
    default:
      return "host";
  }
}

std::string_view category_of(DeviceOpKind kind) {
  if (kind == DeviceOpKind::memcpy) return "gpu_memcpy";
  return kind == DeviceOpKind::memset ? "gpu_memset" : "kernel";
}

// Marks and samples may lie before all events.
std::int64_t first_time(const Trace& trace) {
  std::int64_t first = trace.begin();
  for (const std::int64_t time : trace.data().marks.time) first = std::min(first, time);
  for (const std::int64_t time : trace.data().counters.time) first = std::min(first, time);
  return first;
}

class ChromeWriter {
 public:
  ChromeWriter(const Exported& run, ex::FileSink& to, const Progress& progress)
      : run_(run), to_(to), progress_(progress), base_(first_time(run.trace) - 1000) {}

  void write() {
    write_head();
    const ex::Timeline timeline = ex::timeline_of(run_);
    for (std::size_t i = 0; i < timeline.tracks.size(); ++i) write_track(timeline.tracks[i], i);
    write_counters();
    write_marks();
    to_.write("\n]}\n");
  }

 private:
  struct Place {
    std::int64_t pid = 0;
    std::int64_t tid = 0;
  };

  template <class... Arguments>
  void event(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    line_ = first_ ? "\n{" : ",\n{";
    first_ = false;
    fmt::format_to(std::back_inserter(line_), format, std::forward<Arguments>(arguments)...);
    to_.write(line_ += '}');
  }

  static std::string micros(std::int64_t ns) {
    return fmt::format("{}.{:03}", ns / 1000, ns % 1000);
  }
  std::string at(std::int64_t time) const { return micros(time - base_); }
  std::int64_t pid_of(ProcessId process) const { return run_.trace.data().processes[process].pid; }

  void write_head() {
    std::string devices;
    for (const Device& device : run_.trace.data().devices) {
      if (device.process != run_.steps.process) continue;
      devices += fmt::format(
          R"({}{{"id": {}, "name": {}, "totalGlobalMem": {}, "numSms": {}, "computeMajor": {}, "computeMinor": {}, "uuid": {}}})",
          devices.empty() ? "" : ", ", device.index, ex::quoted(device.name), device.memory_bytes,
          device.multiprocessors, device.compute_major, device.compute_minor,
          ex::quoted(device.uuid));
    }
    const Process& process = run_.trace.data().processes[run_.steps.process];
    const std::string rank =
        process.rank < 0 ? ""
                         : fmt::format(R"("distributedInfo": {{"rank": {}, "world_size": {}}}, )",
                                       process.rank, process.world_size);
    to_.write(fmt::format(
        "{{\"schemaVersion\": 1, \"deviceProperties\": [{}], {}\"displayTimeUnit\": \"ms\", "
        "\"baseTimeNanoseconds\": {}, \"traceName\": {},\n\"traceEvents\": [",
        devices, rank, base_, ex::quoted(run_.trace.data().path)));
    for (const Process& p : run_.trace.data().processes) {
      event(R"("ph": "M", "name": "process_name", "pid": {}, "tid": 0, "args": {{"name": {}}})",
            p.pid, ex::quoted(p.name.empty() ? "process" : p.name));
    }
  }

  Place place_of(const ex::Track& track, std::size_t index, std::size_t lane) const {
    const auto shift = static_cast<std::int64_t>(lane) * kLaneIds;
    if (track.kind == ex::TrackKind::thread)
      return {pid_of(track.process), run_.trace.data().threads[track.row].tid + shift};
    if (track.kind == ex::TrackKind::stream) {
      const Stream& stream = run_.trace.data().streams[track.row];
      return {kDevicePids + std::int64_t{stream.device} + std::int64_t{track.process} * 1024,
              std::int64_t{stream.stream} + shift};
    }
    return {kOwnPids, static_cast<std::int64_t>(index) + shift};
  }

  void name_lane(const ex::Track& track, const Place& place) {
    if (track.kind == ex::TrackKind::stream) {
      event(R"("ph": "M", "name": "process_name", "pid": {}, "tid": 0, "args": {{"name": {}}})",
            place.pid,
            ex::quoted(fmt::format("GPU {} of process {}",
                                   run_.trace.data().streams[track.row].device,
                                   pid_of(track.process))));
    } else if (track.kind != ex::TrackKind::thread) {
      event(
          R"("ph": "M", "name": "process_name", "pid": {}, "tid": 0, "args": {{"name": "stepscope"}})",
          place.pid);
    }
    event(R"("ph": "M", "name": "thread_name", "pid": {}, "tid": {}, "args": {{"name": {}}})",
          place.pid, place.tid, ex::quoted(track.name));
  }

  void write_track(const ex::Track& track, std::size_t index) {
    for (std::size_t lane = 0; lane < track.lanes.size(); ++lane) {
      const Place place = place_of(track, index, lane);
      name_lane(track, place);
      for (const ex::Slice& slice : track.lanes[lane]) {
        write_slice(track, slice, place);
        if (++slices_ % 8192 == 0) report_progress(progress_, slices_, run_.trace.event_count());
      }
    }
  }

  void write_slice(const ex::Track& track, const ex::Slice& slice, const Place& place) {
    std::string_view category = "stepscope";
    std::string arguments;
    if (track.kind == ex::TrackKind::thread) {
      category = category_of(run_.trace.host_ranges().kind[slice.row]);
      arguments = host_arguments(slice.row, place);
    } else if (track.kind == ex::TrackKind::stream) {
      category = category_of(run_.trace.device_ops().kind[slice.row]);
      arguments = device_arguments(slice.row, place);
    }
    event(
        R"("ph": "X", "cat": "{}", "name": {}, "pid": {}, "tid": {}, "ts": {}, "dur": {}, "args": {{{}}})",
        category, ex::quoted(slice.name), place.pid, place.tid, at(slice.begin),
        micros(slice.end - slice.begin), arguments);
  }

  std::string host_arguments(RangeId range, const Place& place) {
    const HostRanges& h = run_.trace.host_ranges();
    std::string out;
    if (h.sequence[range] != kNoSequence)
      out += fmt::format(R"("Sequence number": {}, )", h.sequence[range]);
    if (h.forward_thread[range] != kNone)
      out += fmt::format(R"("Fwd thread id": {}, )", h.forward_thread[range]);
    const CallId call = run_.trace.call_of(range);
    if (call == kNone) return out.substr(0, out.size() - (out.empty() ? 0 : 2));
    if (!run_.trace.ops_launched_by(call).empty()) flow('s', call, place, h.begin[range]);
    return out + fmt::format(R"("correlation": {})", run_.trace.calls().correlation[call]);
  }

  std::string device_arguments(DeviceOpId op, const Place& place) {
    const DeviceOps& d = run_.trace.device_ops();
    const Stream& stream = run_.trace.data().streams[d.stream[op]];
    std::string out = fmt::format(R"("device": {}, "context": {}, "stream": {}, "correlation": {})",
                                  stream.device, stream.context, stream.stream, d.correlation[op]);
    if (d.bytes[op] != kUnknownBytes) out += fmt::format(R"(, "bytes": {})", d.bytes[op]);
    if (d.graph[op] != 0)
      out += fmt::format(R"(, "graph id": {}, "graph node id": {})", d.graph[op], d.graph_node[op]);
    if (d.launch_config[op] != kNone) {
      const LaunchConfig& c = run_.trace.data().launch_configs[d.launch_config[op]];
      out += fmt::format(
          R"(, "grid": [{}, {}, {}], "block": [{}, {}, {}], "registers per thread": {}, "shared memory": {})",
          c.grid[0], c.grid[1], c.grid[2], c.block[0], c.block[1], c.block[2],
          c.registers_per_thread, c.shared_bytes);
    }
    if (const CallId call = run_.trace.launch_of(op); call != kNone)
      flow('f', call, place, d.begin[op]);
    return out;
  }

  void flow(char phase, CallId call, const Place& place, std::int64_t time) {
    event(
        R"("ph": "{}", "id": {}, "pid": {}, "tid": {}, "ts": {}, "cat": "ac2g", "name": "ac2g"{})",
        phase, call, place.pid, place.tid, at(time), phase == 'f' ? R"(, "bp": "e")" : "");
  }

  void write_counters() {
    const Counters& c = run_.trace.data().counters;
    for (std::size_t i = 0; i < c.size(); ++i) {
      event(R"("ph": "C", "name": {}, "pid": {}, "tid": 0, "ts": {}, "args": {{"value": {}}})",
            ex::quoted(run_.trace.text(c.track[i])), pid_of(c.process[i]), at(c.time[i]),
            ex::json_number(c.value[i]));
    }
  }

  void write_marks() {
    const Marks& m = run_.trace.data().marks;
    for (std::size_t i = 0; i < m.size(); ++i) {
      const ThreadId of = m.thread[i] == kNone ? run_.steps.thread : m.thread[i];
      const Thread& thread = run_.trace.data().threads[of];
      event(
          R"("ph": "i", "cat": "cpu_instant_event", "s": "t", "name": {}, "pid": {}, "tid": {}, "ts": {})",
          ex::quoted(run_.trace.text(m.name[i])), pid_of(thread.process), thread.tid,
          at(m.time[i]));
    }
  }

  const Exported& run_;
  ex::FileSink& to_;
  const Progress& progress_;
  std::int64_t base_;
  std::string line_;
  bool first_ = true;
  std::uint64_t slices_ = 0;
};

}  // namespace

Status write_chrome(const Exported& run, const ExportOptions&, const std::string& path,
                    const Progress& progress) {
  ex::FileSink to(path);
  ChromeWriter(run, to, progress).write();
  return to.finish();
}

}  // namespace stepscope
