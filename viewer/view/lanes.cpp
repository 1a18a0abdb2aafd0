// SPDX-License-Identifier: Apache-2.0
#include "viewer/view/lanes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <set>

#include "core/report/wording/numbers.hpp"
#include "viewer/lod/sub_lanes.hpp"

namespace stepscope::viewer {
namespace {

using Ids = std::vector<std::uint32_t>;

std::string count_text(std::uint64_t count, const char* one, const char* many) {
  return fmt::format("{} {}", format_count(static_cast<double>(count)), count == 1 ? one : many);
}

// Sums since some beginning (nvlink) and bits are no curves; reports read them.
struct ShownCounter {
  DeviceCounter counter;
  const char* title;
};
constexpr std::array<ShownCounter, 11> kShownCounters = {{
    {DeviceCounter::sm_active_percent, "SM active"},
    {DeviceCounter::tensor_active_percent, "tensor cores active"},
    {DeviceCounter::sm_clock_mhz, "SM clock"},
    {DeviceCounter::memory_clock_mhz, "memory clock"},
    {DeviceCounter::power_mw, "power"},
    {DeviceCounter::temperature_celsius, "temperature"},
    {DeviceCounter::memory_used_bytes, "memory used"},
    {DeviceCounter::process_memory_bytes, "memory of this process"},
    {DeviceCounter::allocator_allocated_bytes, "memory in tensors"},
    {DeviceCounter::dram_read_bytes_per_second, "DRAM reads"},
    {DeviceCounter::dram_write_bytes_per_second, "DRAM writes"},
}};

class Builder {
 public:
  explicit Builder(const Run& run) : run_(run), data_(run.trace.data()) {
    // A sampler keeps a worker as a thread of the process that started it.
    for (std::size_t i = 0; i < data_.samples.size(); ++i) {
      if ((data_.samples.flags[i] & kSampleWorker) != 0)
        loader_workers_.insert(data_.threads[data_.samples.thread[i]].tid);
    }
  }

  std::vector<Lane> build() {
    run_lanes();
    for (const ProcessId process : processes()) {
      device_lanes(process);
      thread_lanes(process);
    }
    for (const auto& [device, samples] : run_.samples)
      counter_lanes(run_.steps.process, device, samples);
    return std::move(lanes_);
  }

 private:
  // Events in order of begin, the longer first. A lane without events is none.
  void add(Lane lane, Ids ids) {
    if (ids.empty()) return;
    const auto event = [&](std::uint32_t id) { return EventRef{lane.events, id, lane.partition}; };
    const auto time = [&](std::uint32_t id) { return time_of(run_, event(id)); };
    const auto earlier = [](Interval x, Interval y) {
      return x.begin != y.begin ? x.begin < y.begin : x.end > y.end;
    };
    SubLanes rows;
    const auto fill = [&] {
      Interval last{INT64_MIN, INT64_MAX};
      for (const std::uint32_t id : ids) {
        const Interval at = time(id);
        if (earlier(at, last)) return false;
        rows.add(at.begin, at.end, id, std::bit_cast<std::uint32_t>(look_of(run_, event(id))));
        last = at;
      }
      return true;
    };
    // Most lanes stand in the trace in order. Times are read once: they are in no cache.
    if (!fill()) {
      std::stable_sort(ids.begin(), ids.end(),
                       [&](std::uint32_t a, std::uint32_t b) { return earlier(time(a), time(b)); });
      rows = {};
      fill();
    }
    lane.note = count_text(ids.size(), "event", "events");
    if (lane.events == EventKind::device_op && rows.overlaps() > 0)
      lane.note += fmt::format(", {} overlap", format_count(static_cast<double>(rows.overlaps())));
    lane.rows = rows.finish();
    lanes_.push_back(std::move(lane));
  }

  static Ids all(std::size_t count) {
    Ids ids(count);
    std::iota(ids.begin(), ids.end(), 0);
    return ids;
  }

  void run_lanes() {
    const Attribution& a = run_.attribution;
    add({LaneKind::steps, "Run", "steps", "", EventKind::step}, all(run_.steps.list.size()));
    add({LaneKind::owners, "Run", "who owns the time", "", EventKind::segment},
        all(a.process.segments.size()));
    for (std::uint32_t i = 0; i < a.devices.size(); ++i) {
      add({LaneKind::owners, "Run", fmt::format("owners, GPU {}", a.devices[i].device), "",
           EventKind::segment, i},
          all(a.devices[i].segments.size()));
    }
    add({LaneKind::gaps, "Run", "idle gaps", "", EventKind::gap}, all(run_.gaps.size()));
    for (std::uint32_t i = 0; i < run_.device_gaps.size(); ++i) {
      add({LaneKind::gaps, "Run", fmt::format("idle gaps, GPU {}", a.devices[i].device), "",
           EventKind::gap, i},
          all(run_.device_gaps[i].size()));
    }
    add({LaneKind::phases, "Run", "phases", "", EventKind::phase_stay},
        all(run_.phase_stays.size()));
  }

  // The process whose steps these are comes first.
  std::vector<ProcessId> processes() const {
    std::vector<ProcessId> out(data_.processes.size());
    std::iota(out.begin(), out.end(), 0);
    std::stable_sort(out.begin(), out.end(), [&](ProcessId a, ProcessId b) {
      if ((a == run_.steps.process) != (b == run_.steps.process)) return a == run_.steps.process;
      return data_.processes[a].rank < data_.processes[b].rank;
    });
    return out;
  }

  // "rank 1 · "; empty for the loop's own process where there are no ranks.
  std::string owner(ProcessId process) const {
    const Process& p = data_.processes[process];
    if (p.rank >= 0 && data_.processes.size() > 1) return fmt::format("rank {} · ", p.rank);
    return process == run_.steps.process ? "" : fmt::format("process {} · ", p.pid);
  }

  std::string device_name(ProcessId process, std::uint32_t index) const {
    for (const Device& device : data_.devices) {
      if (device.process == process && device.index == index && !device.name.empty())
        return fmt::format("GPU {} · {}", index, device.name);
    }
    return fmt::format("GPU {}", index);
  }

  void device_lanes(ProcessId process) {
    std::vector<StreamId> streams;
    for (StreamId s = 0; s < data_.streams.size(); ++s) {
      if (data_.streams[s].process == process) streams.push_back(s);
    }
    std::stable_sort(streams.begin(), streams.end(), [&](StreamId a, StreamId b) {
      const Stream& x = data_.streams[a];
      const Stream& y = data_.streams[b];
      return std::tie(x.device, x.context, x.stream) < std::tie(y.device, y.context, y.stream);
    });
    for (const StreamId stream : streams) stream_lanes(process, stream);
  }

  void counter_lanes(ProcessId process, std::uint32_t device, const DeviceSamples& samples) {
    for (const ShownCounter& shown : kShownCounters) {
      const std::vector<DeviceSample>& values = samples.of(shown.counter);
      if (values.empty()) continue;
      Lane lane{LaneKind::counter,
                owner(process) + device_name(process, device) + " · while it ran", shown.title};
      lane.counter = shown.counter;
      for (const DeviceSample& sample : values) lane.curve.add(sample.time, sample.value);
      lane.curve.finish();
      lane.note = fmt::format("{} to {}", counter_text(shown.counter, lane.curve.least()),
                              counter_text(shown.counter, lane.curve.most()));
      lanes_.push_back(std::move(lane));
    }
  }

  void stream_lanes(ProcessId process, StreamId stream) {
    const Stream& s = data_.streams[stream];
    const std::string group = owner(process) + device_name(process, s.device);
    const std::string title = fmt::format("stream {}", s.stream);
    Ids kernels;
    Ids copies;
    for (const DeviceOpId op : run_.trace.ops_of(stream)) {
      const DeviceOpKind kind = data_.device_ops.kind[op];
      const bool copy = kind == DeviceOpKind::memcpy || kind == DeviceOpKind::memset;
      (copy ? copies : kernels).push_back(op);
    }
    Ids waits;
    for (std::uint32_t i = 0; i < data_.syncs.size(); ++i) {
      if (data_.syncs.stream[i] == stream) waits.push_back(i);
    }
    add({LaneKind::kernels, group, title, "", EventKind::device_op}, std::move(kernels));
    add({LaneKind::copies, group, title + " copies", "", EventKind::device_op}, std::move(copies));
    add({LaneKind::waits, group, title + " waits", "", EventKind::sync}, std::move(waits));
  }

  void thread_lanes(ProcessId process) {
    std::vector<ThreadId> threads;
    for (ThreadId t = 0; t < data_.threads.size(); ++t) {
      if (data_.threads[t].process == process) threads.push_back(t);
    }
    std::stable_sort(threads.begin(), threads.end(), [&](ThreadId a, ThreadId b) {
      if ((a == run_.steps.thread) != (b == run_.steps.thread)) return a == run_.steps.thread;
      return run_.trace.ranges_of(a).size() > run_.trace.ranges_of(b).size();
    });
    if (is_aside(process)) return worker_lane(process, threads);
    for (const ThreadId thread : threads) families(process, thread);
  }

  // A worker: it is no rank, and drives no device of its own.
  bool is_aside(ProcessId process) const {
    const auto drives = [&](const Stream& stream) { return stream.process == process; };
    return process != run_.steps.process && data_.processes[process].rank < 0 &&
           std::none_of(data_.streams.begin(), data_.streams.end(), drives);
  }

  // Workers have one heading, and each one lane, named after its busiest thread.
  void worker_lane(ProcessId process, const std::vector<ThreadId>& threads) {
    if (threads.empty()) return;
    Ids ids;
    for (const ThreadId thread : threads) {
      const Rows rows = run_.trace.ranges_of(thread);
      for (RangeId range = rows.begin; range < rows.end; ++range) ids.push_back(range);
    }
    const std::int64_t pid = data_.processes[process].pid;
    const char* const group =
        loader_workers_.contains(pid) ? "DataLoader workers" : "other processes";
    Lane lane{LaneKind::calls, group, fmt::format("{} {}", thread_name(threads.front()), pid), "",
              EventKind::host_range};
    lane.is_aside = true;
    add(std::move(lane), std::move(ids));
  }

  std::string thread_name(ThreadId thread) const {
    const std::string& name = data_.threads[thread].name;
    return name.empty() ? "thread" : name;
  }

  void families(ProcessId process, ThreadId thread) {
    std::array<Ids, 5> of;
    bool ops = false;
    bool calls = false;
    const Rows rows = run_.trace.ranges_of(thread);
    for (RangeId range = rows.begin; range < rows.end; ++range) {
      HostFamily family = family_of(data_.host_ranges.kind[range]);
      ops |= family == HostFamily::op;
      calls |= family == HostFamily::api;
      if (family == HostFamily::api) family = HostFamily::op;  // calls stand inside the ops
      of[static_cast<std::size_t>(family)].push_back(range);
    }
    const std::string group =
        fmt::format("{}{} {}{}", owner(process), thread_name(thread), data_.threads[thread].tid,
                    thread == run_.steps.thread ? " · runs the loop" : "");
    const auto take = [&](HostFamily family, LaneKind kind, const char* title) {
      add({kind, group, title, "", EventKind::host_range},
          std::move(of[static_cast<std::size_t>(family)]));
    };
    take(HostFamily::annotation, LaneKind::annotations, "named ranges");
    take(HostFamily::op, LaneKind::calls,
         ops && calls ? "ops and CUDA calls"
         : ops        ? "ops"
                      : "CUDA calls");
    take(HostFamily::python, LaneKind::python, "Python functions");
    take(HostFamily::other, LaneKind::other, "profiler and system");
  }

  const Run& run_;
  const TraceData& data_;
  std::set<std::int64_t> loader_workers_;  // their process ids
  std::vector<Lane> lanes_;
};

std::optional<std::uint32_t> index_in(const Row& row, std::int64_t begin, std::uint32_t id) {
  for (std::uint32_t i = row.first_beginning_at(begin);
       i < row.size() && row.time(i).begin == begin; ++i) {
    if (row.id(i) == id) return i;
  }
  return std::nullopt;
}

}  // namespace

std::uint64_t Lane::event_count() const {
  std::uint64_t count = 0;
  for (const Row& row : rows) count += row.size();
  return count;
}

std::string counter_text(DeviceCounter counter, double value) {
  switch (counter) {
    case DeviceCounter::sm_clock_mhz:
    case DeviceCounter::memory_clock_mhz:
      return format_count(value) + " MHz";
    case DeviceCounter::power_mw:
      return fmt::format("{:.0f} W", value / 1e3);
    case DeviceCounter::temperature_celsius:
      return fmt::format("{:.0f} °C", value);
    case DeviceCounter::sm_active_percent:
    case DeviceCounter::tensor_active_percent:
      return fmt::format("{:.0f} %", value);
    case DeviceCounter::dram_read_bytes_per_second:
    case DeviceCounter::dram_write_bytes_per_second:
      return format_rate(value) + " GB/s";
    default:
      return format_bytes(value);
  }
}

std::vector<Lane> build_lanes(const Run& run) {
  return Builder(run).build();
}

std::optional<Spot> find_spot(const Run& run, const std::vector<Lane>& lanes, EventRef event) {
  const std::int64_t begin = time_of(run, event).begin;
  for (std::uint32_t lane = 0; lane < lanes.size(); ++lane) {
    const Lane& l = lanes[lane];
    if (l.events != event.kind || l.partition != event.partition) continue;
    for (std::uint32_t row = 0; row < l.rows.size(); ++row) {
      if (const auto index = index_in(l.rows[row], begin, event.id)) return Spot{lane, row, *index};
    }
  }
  return std::nullopt;
}

}  // namespace stepscope::viewer
