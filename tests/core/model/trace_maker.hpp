// SPDX-License-Identifier: Apache-2.0
// Writes small traces by hand: one call an event, every column filled, so that tests state only
// what matters to them. Process 0 and device 0 exist from the start; threads and streams appear
// when named.
//
//   TraceMaker make;
//   const auto op = make.range(HostKind::op, "aten::add", 1, 100, 200);
//   const auto call = make.call("cudaLaunchKernel", 1, 120, 130, 7);       // correlation 7
//   make.kernel("add_kernel", 0, 140, 160, 7);                             // stream 0
//   const Trace trace = make.build();
#pragma once

#include <map>
#include <string_view>
#include <utility>

#include "core/model/trace.hpp"

namespace stepscope {

class TraceMaker {
 public:
  TraceMaker() {
    data.processes.push_back({.pid = 100});
    data.devices.push_back({.process = 0, .index = 0, .name = "Test GPU"});
  }

  ThreadId thread(std::int64_t tid, std::string_view name = "", ProcessId process = 0) {
    const auto [at, is_new] =
        threads_.try_emplace({process, tid}, static_cast<ThreadId>(data.threads.size()));
    if (is_new) data.threads.push_back({process, tid, std::string(name)});
    return at->second;
  }

  StreamId stream(std::uint32_t number, std::uint32_t device = 0, ProcessId process = 0) {
    const auto [at, is_new] =
        streams_.try_emplace({process, device, number}, static_cast<StreamId>(data.streams.size()));
    if (is_new)
      data.streams.push_back(
          {.process = process, .device = device, .context = 1, .stream = number});
    return at->second;
  }

  SiteId site(std::string_view file, std::uint32_t line, SiteKind kind = SiteKind::call) {
    data.sites.push_back({data.strings.intern(file), line, data.strings.intern("f"), kind});
    return static_cast<SiteId>(data.sites.size() - 1);
  }

  RangeId range(HostKind kind, std::string_view name, std::int64_t tid, std::int64_t begin,
                std::int64_t end, SiteId site = kNone) {
    HostRanges& h = data.host_ranges;
    h.begin.push_back(begin);
    h.end.push_back(end);
    h.name.push_back(data.strings.intern(name));
    h.thread.push_back(thread(tid));
    h.kind.push_back(kind);
    h.category.push_back(0);
    h.site.push_back(site);
    h.sequence.push_back(kNoSequence);
    h.forward_thread.push_back(kNone);
    return static_cast<RangeId>(h.size() - 1);
  }

  // A CUDA API call; its kind follows from its name. Row numbers are those before Trace::build
  // sorts.
  CallId call(std::string_view name, std::int64_t tid, std::int64_t begin, std::int64_t end,
              std::uint32_t correlation = 0, StreamId stream = kNone, std::uint64_t event = 0) {
    const HostKind kind = name.starts_with("cuda") ? HostKind::runtime_call : HostKind::driver_call;
    Calls& c = data.calls;
    c.range.push_back(range(kind, name, tid, begin, end));
    c.api.push_back(classify_api(name));
    c.correlation.push_back(correlation);
    c.stream.push_back(stream);
    c.event.push_back(event);
    c.bytes.push_back(kUnknownBytes);
    return static_cast<CallId>(c.size() - 1);
  }

  DeviceOpId device_op(DeviceOpKind kind, std::string_view name, StreamId on, std::int64_t begin,
                       std::int64_t end, std::uint32_t correlation) {
    DeviceOps& d = data.device_ops;
    d.begin.push_back(begin);
    d.end.push_back(end);
    d.name.push_back(data.strings.intern(name));
    d.kind.push_back(kind);
    d.stream.push_back(on);
    d.correlation.push_back(correlation);
    d.graph.push_back(0);
    d.graph_node.push_back(0);
    d.bytes.push_back(kUnknownBytes);
    d.copy_kind.push_back(CopyKind::none);
    d.source_memory.push_back(MemoryKind::unknown);
    d.target_memory.push_back(MemoryKind::unknown);
    d.launch_config.push_back(kNone);
    return static_cast<DeviceOpId>(d.size() - 1);
  }

  DeviceOpId kernel(std::string_view name, std::uint32_t stream_number, std::int64_t begin,
                    std::int64_t end, std::uint32_t correlation) {
    return device_op(DeviceOpKind::kernel, name, stream(stream_number), begin, end, correlation);
  }

  DeviceOpId copy(CopyKind kind, MemoryKind source, MemoryKind target, std::uint32_t stream_number,
                  std::int64_t begin, std::int64_t end, std::uint32_t correlation,
                  std::uint64_t bytes = 1024) {
    const DeviceOpId op =
        device_op(DeviceOpKind::memcpy, "Memcpy", stream(stream_number), begin, end, correlation);
    data.device_ops.copy_kind[op] = kind;
    data.device_ops.source_memory[op] = source;
    data.device_ops.target_memory[op] = target;
    data.device_ops.bytes[op] = bytes;
    return op;
  }

  Trace build() { return Trace::build(std::move(data)); }

  TraceData data;

 private:
  std::map<std::pair<ProcessId, std::int64_t>, ThreadId> threads_;
  std::map<std::tuple<ProcessId, std::uint32_t, std::uint32_t>, StreamId> streams_;
};

}  // namespace stepscope
