// SPDX-License-Identifier: Apache-2.0
#include "core/exporters/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace stepscope::exporting {
namespace {

// The slices of a lane that are still open, innermost last.
class Lane {
 public:
  bool takes(const Slice& slice) {
    while (!open_.empty() && open_.back() <= slice.begin) open_.pop_back();
    return open_.empty() || open_.back() >= slice.end;
  }
  void push(const Slice& slice) { open_.push_back(slice.end); }

 private:
  std::vector<std::int64_t> open_;
};

class Builder {
 public:
  explicit Builder(const Exported& run) : run_(run) {}

  Timeline build() {
    add_steps();
    add_phases();
    add_causes(run_.attribution.process, "causes");
    for (const Partition& partition : run_.attribution.devices)
      add_causes(partition, fmt::format("causes of device {}", partition.device));
    add_threads();
    add_streams();
    return std::move(out_);
  }

 private:
  void add(TrackKind kind, std::string name, ProcessId process, std::uint32_t row,
           std::vector<Slice> slices) {
    if (slices.empty()) return;
    out_.tracks.push_back({kind, std::move(name), process, row, in_lanes(std::move(slices))});
  }

  std::string_view kept(std::string text) { return out_.texts.emplace_back(std::move(text)); }

  void add_steps() {
    std::vector<Slice> slices;
    for (std::uint32_t i = 0; i < run_.steps.list.size(); ++i) {
      const Step& step = run_.steps.list[i];
      const std::string_view name = kept(fmt::format(
          "step {}{}{}", step.id, step.steady ? "" : ": ", step.steady ? "" : step.why_not_steady));
      slices.push_back({step.window.begin, step.window.end, name, i});
    }
    add(TrackKind::steps, "steps", run_.steps.process, kNone, std::move(slices));
  }

  void add_phases() {
    std::vector<Slice> slices;
    for (std::uint32_t i = 0; i < run_.attribution.visits.size(); ++i) {
      const PhaseVisit& visit = run_.attribution.visits[i];
      slices.push_back(
          {visit.time.begin, visit.time.end, run_.attribution.phases[visit.phase].name, i});
    }
    add(TrackKind::phases, "phases", run_.steps.process, kNone, std::move(slices));
  }

  void add_causes(const Partition& partition, std::string name) {
    std::vector<Slice> slices;
    for (std::uint32_t i = 0; i < partition.segments.size(); ++i) {
      const Segment& segment = partition.segments[i];
      slices.push_back({segment.time.begin, segment.time.end, name_of(segment.cause), i});
    }
    add(TrackKind::causes, std::move(name), run_.steps.process, partition.device,
        std::move(slices));
  }

  void add_threads() {
    const HostRanges& h = run_.trace.host_ranges();
    for (ThreadId thread = 0; thread < run_.trace.data().threads.size(); ++thread) {
      const Rows rows = run_.trace.ranges_of(thread);
      std::vector<Slice> slices;
      for (RangeId r = rows.begin; r < rows.end; ++r)
        slices.push_back({h.begin[r], h.end[r], run_.trace.text(h.name[r]), r});
      const Thread& of = run_.trace.data().threads[thread];
      std::string name = of.name.empty() ? fmt::format("thread {}", of.tid) : of.name;
      add(TrackKind::thread, std::move(name), of.process, thread, std::move(slices));
    }
  }

  void add_streams() {
    const DeviceOps& d = run_.trace.device_ops();
    for (StreamId stream = 0; stream < run_.trace.data().streams.size(); ++stream) {
      std::vector<Slice> slices;
      for (const DeviceOpId op : run_.trace.ops_of(stream))
        slices.push_back({d.begin[op], d.end[op], run_.trace.text(d.name[op]), op});
      const Stream& of = run_.trace.data().streams[stream];
      add(TrackKind::stream, fmt::format("GPU {} stream {}", of.device, of.stream), of.process,
          stream, std::move(slices));
    }
  }

  const Exported& run_;
  Timeline out_;
};

}  // namespace

std::vector<std::vector<Slice>> in_lanes(std::vector<Slice> slices) {
  std::stable_sort(slices.begin(), slices.end(), [](const Slice& a, const Slice& b) {
    return std::tuple(a.begin, b.end) < std::tuple(b.begin, a.end);
  });
  std::vector<Lane> lanes;
  std::vector<std::vector<Slice>> out;
  for (const Slice& slice : slices) {
    std::size_t lane = 0;
    while (lane < lanes.size() && !lanes[lane].takes(slice)) ++lane;
    if (lane == lanes.size()) {
      lanes.emplace_back();
      out.emplace_back();
    }
    lanes[lane].push(slice);
    out[lane].push_back(slice);
  }
  return out;
}

Timeline timeline_of(const Exported& run) {
  return Builder(run).build();
}

}  // namespace stepscope::exporting
