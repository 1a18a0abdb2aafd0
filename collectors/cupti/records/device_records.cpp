// SPDX-License-Identifier: Apache-2.0
#include "collectors/cupti/records/device_records.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

namespace stepscope::cupti {
namespace {

CopyKind copy_kind_of(std::uint8_t kind) {
  switch (kind) {
    case kCopyHostToDevice:
    case kCopyHostToArray:
      return CopyKind::host_to_device;
    case kCopyDeviceToHost:
    case kCopyArrayToHost:
      return CopyKind::device_to_host;
    case kCopyHostToHost:
      return CopyKind::host_to_host;
    case kCopyPeer:
      return CopyKind::peer;
    case kCopyArrayToArray:
    case kCopyArrayToDevice:
    case kCopyDeviceToArray:
    case kCopyDeviceToDevice:
      return CopyKind::device_to_device;
    default:
      return CopyKind::none;
  }
}

MemoryKind memory_kind_of(std::uint32_t kind) {
  switch (kind) {
    case kMemoryPageable:
      return MemoryKind::pageable;
    case kMemoryPinned:
      return MemoryKind::pinned;
    case kMemoryDevice:
    case kMemoryDeviceStatic:
      return MemoryKind::device;
    case kMemoryArray:
      return MemoryKind::array;
    case kMemoryManaged:
    case kMemoryManagedStatic:
      return MemoryKind::managed;
    default:
      return MemoryKind::unknown;
  }
}

const char* text_of(CopyKind kind) {
  static constexpr std::array kTexts = {"Memcpy",      "Memcpy HtoD", "Memcpy DtoH",
                                        "Memcpy DtoD", "Memcpy HtoH", "Memcpy PtoP"};
  return kTexts[static_cast<std::size_t>(kind)];
}

const char* text_of(MemoryKind kind) {
  static constexpr std::array kTexts = {"Unknown", "Pageable", "Pinned",
                                        "Device",  "Array",    "Managed"};
  return kTexts[static_cast<std::size_t>(kind)];
}

// Names copies as PyTorch's profiler does, so that traces of both can be compared.
std::string text_of(CopyKind kind, MemoryKind source, MemoryKind target) {
  return std::string(text_of(kind)) + " (" + text_of(source) + " -> " + text_of(target) + ")";
}

// Names overheads as PyTorch's profiler does: the attribution reads these names.
const char* overhead_name(std::uint32_t kind) {
  static constexpr std::array kTexts = {"Buffer Flush",
                                        "Instrumentation",
                                        "Resource",
                                        "Runtime Triggered Module Loading",
                                        "Lazy Function Loading",
                                        "Command Buffer Full",
                                        "Activity Buffer Request",
                                        "UVM Activity Init"};
  if (kind == 1) return "Driver Compiler";
  const std::uint32_t index = (kind >> 16U) - 1U;
  return index < kTexts.size() ? kTexts[index] : "CUPTI overhead";
}

// The attribution reads the first word.
const char* jit_name(const JitRecord& r) {
  if (r.operation == kJitCacheLoad) return "JIT Cache Load";
  if (r.operation == kJitCacheStore) return "JIT Cache Store";
  return r.entry == 2 ? "JIT Compile (NVVM to PTX)" : "JIT Compile (PTX to cubin)";
}

// Another core wrote the buffer, and waiting for its lines was two thirds of the time of a record,
// of which two or three are read ahead.
void prefetch_after(const void* record) {
  constexpr std::size_t kAhead = 512, kLine = 64, kLines = 4;
  for (std::size_t i = 0; i < kLines; ++i)
    __builtin_prefetch(static_cast<const std::byte*>(record) + kAhead + i * kLine);
}

std::uint32_t positive(std::int32_t value) {
  return value > 0 ? static_cast<std::uint32_t>(value) : 0;
}

}  // namespace

struct DeviceRecords::Op {
  std::uint64_t start, end;
  StringId name;
  DeviceOpKind kind;
  std::uint32_t device, context, stream, correlation, graph;
  std::uint64_t graph_node;
  std::uint64_t bytes = kUnknownBytes;
  CopyKind copy = CopyKind::none;
  MemoryKind source = MemoryKind::unknown, target = MemoryKind::unknown;
  LaunchConfigId config = kNone;
};

struct DeviceRecords::HostWork {
  std::uint64_t start, end;
  const char* name;
  std::uint32_t thread;
};

void DeviceRecords::decode(const Library& library, std::uint8_t* data, std::size_t valid_bytes,
                           EventBatch& batch, StoreWriter& store) {
  ++buffers_;
  void* record = nullptr;
  while (library.next_record(data, valid_bytes, &record) == kSuccess && record != nullptr) {
    prefetch_after(record);
    ++records_;
    add_record(record, batch, store);
  }
}

void DeviceRecords::add_record(const void* record, EventBatch& batch, StoreWriter& store) {
  switch (*static_cast<const ActivityKind*>(record)) {
    case ActivityKind::concurrent_kernel:
      return add_kernel(*static_cast<const KernelRecord*>(record), batch, store);
    case ActivityKind::memcpy:
      return add_memcpy(*static_cast<const MemcpyRecord*>(record), batch, store);
    case ActivityKind::memcpy_peer:
      return add_peer_copy(*static_cast<const PeerCopyRecord*>(record), batch, store);
    case ActivityKind::memset:
      return add_memset(*static_cast<const MemsetRecord*>(record), batch, store);
    case ActivityKind::graph_trace:
      return add_graph(*static_cast<const GraphRecord*>(record), batch, store);
    case ActivityKind::overhead:
      return add_overhead(*static_cast<const OverheadRecord*>(record), batch, store);
    case ActivityKind::jit:
      return add_jit(*static_cast<const JitRecord*>(record), batch, store);
    default:
      return;
  }
}

// Flattened: calls of push_back took a quarter of the time of a record.
[[gnu::flatten]] void DeviceRecords::add(const Op& op, EventBatch& batch, StoreWriter& store) {
  if (op.start == 0 || op.end == 0) {
    ++zero_timestamps_;
    return;
  }
  devices_ |= std::uint64_t{1} << (op.device % 64U);
  DeviceOps& rows = batch.device_ops;
  rows.begin.push_back(static_cast<std::int64_t>(op.start));
  rows.end.push_back(static_cast<std::int64_t>(op.end));
  last_end_ = std::max(last_end_, static_cast<std::int64_t>(op.end));
  rows.name.push_back(op.name);
  rows.kind.push_back(op.kind);
  rows.stream.push_back(stream_of(op, store));
  rows.correlation.push_back(op.correlation);
  if (op.graph != 0) last_graph_launch_ = std::max(last_graph_launch_, op.correlation);
  rows.graph.push_back(op.graph);
  rows.graph_node.push_back(op.graph_node);
  rows.bytes.push_back(op.bytes);
  rows.copy_kind.push_back(op.copy);
  rows.source_memory.push_back(op.source);
  rows.target_memory.push_back(op.target);
  rows.launch_config.push_back(op.config);
}

DeviceRecords::KnownKernel& DeviceRecords::kernel_of(const char* name, StoreWriter& store) {
  KnownKernel& known = kernels_[name];
  if (name == nullptr) {
    known.id = store.intern("unnamed kernel");
    return known;
  }
  if (known.compared_in == buffers_) return known;
  if (known.id == 0 || std::strcmp(known.text.c_str(), name) != 0) {
    int status = 0;
    char* readable = abi::__cxa_demangle(name, nullptr, nullptr, &status);
    known = {.text = name, .id = store.intern(readable != nullptr ? readable : name)};
    std::free(readable);
  }
  known.compared_in = buffers_;
  return known;
}

StreamId DeviceRecords::stream_of(const Op& op, StoreWriter& store) {
  for (const KnownStream& known : streams_) {
    if (known.stream == op.stream && known.context == op.context && known.device == op.device &&
        known.id != kNone)
      return known.id;
  }
  KnownStream& oldest = streams_[next_stream_++ % streams_.size()];
  oldest = {op.device, op.context, op.stream, store.stream(op.device, op.context, op.stream)};
  return oldest.id;
}

StringId DeviceRecords::copy_name(CopyKind kind, MemoryKind source, MemoryKind target,
                                  StoreWriter& store) {
  StringId& known = copies_[static_cast<std::size_t>(kind)][static_cast<std::size_t>(source)]
                           [static_cast<std::size_t>(target)];
  if (known == 0) known = store.intern(text_of(kind, source, target));
  return known;
}

StringId DeviceRecords::set_name(MemoryKind target, StoreWriter& store) {
  StringId& known = sets_[static_cast<std::size_t>(target)];
  if (known == 0) known = store.intern(std::string("Memset (") + text_of(target) + ")");
  return known;
}

void DeviceRecords::add_kernel(const KernelRecord& r, EventBatch& batch, StoreWriter& store) {
  const LaunchConfig config{{positive(r.grid[0]), positive(r.grid[1]), positive(r.grid[2])},
                            {positive(r.block[0]), positive(r.block[1]), positive(r.block[2])},
                            r.registers_per_thread,
                            positive(r.static_shared_memory) + positive(r.dynamic_shared_memory)};
  KnownKernel& kernel = kernel_of(r.name, store);
  if (kernel.config_id == kNone || kernel.config != config) {
    kernel.config = config;
    kernel.config_id = store.launch_config(config);
  }
  Op op{r.start,  r.end,         kernel.id, DeviceOpKind::kernel, r.device, r.context,
        r.stream, r.correlation, r.graph,   r.graph_node};
  op.config = kernel.config_id;
  add(op, batch, store);
}

void DeviceRecords::add_memcpy(const MemcpyRecord& r, EventBatch& batch, StoreWriter& store) {
  const CopyKind kind = copy_kind_of(r.copy_kind);
  const MemoryKind source = memory_kind_of(r.source_kind), target = memory_kind_of(r.target_kind);
  add({r.start, r.end, copy_name(kind, source, target, store), DeviceOpKind::memcpy, r.device,
       r.context, r.stream, r.correlation, r.graph, r.graph_node, r.bytes, kind, source, target},
      batch, store);
}

void DeviceRecords::add_peer_copy(const PeerCopyRecord& r, EventBatch& batch, StoreWriter& store) {
  const MemoryKind source = memory_kind_of(r.source_kind), target = memory_kind_of(r.target_kind);
  add({r.start, r.end, copy_name(CopyKind::peer, source, target, store), DeviceOpKind::memcpy,
       r.device, r.context, r.stream, r.correlation, r.graph, r.graph_node, r.bytes, CopyKind::peer,
       source, target},
      batch, store);
}

void DeviceRecords::add_memset(const MemsetRecord& r, EventBatch& batch, StoreWriter& store) {
  const MemoryKind target = memory_kind_of(r.memory_kind);
  add({r.start, r.end, set_name(target, store), DeviceOpKind::memset, r.device, r.context, r.stream,
       r.correlation, r.graph, r.graph_node, r.bytes, CopyKind::none, MemoryKind::unknown, target},
      batch, store);
}

// Named as the importer of Nsight Systems names it.
void DeviceRecords::add_graph(const GraphRecord& r, EventBatch& batch, StoreWriter& store) {
  const bool on_host = r.device == kOnHost;
  const StringId name = store.intern("CUDA graph " + std::to_string(r.graph));
  add({r.start, r.end, name, DeviceOpKind::graph, on_host ? r.end_device : r.device,
       on_host ? r.end_context : r.context, r.stream, r.correlation, r.graph, 0},
      batch, store);
}

// Only those of a thread: they lie in its time. CUPTI's own threads are not the program's.
void DeviceRecords::add_overhead(const OverheadRecord& r, EventBatch& batch, StoreWriter& store) {
  constexpr std::uint32_t kThread = 2;
  if (r.object_kind != kThread) return;
  add_host({r.start, r.end, overhead_name(r.overhead_kind), r.object_id[1]}, batch, store);
}

void DeviceRecords::add_jit(const JitRecord& r, EventBatch& batch, StoreWriter& store) {
  add_host({r.start, r.end, jit_name(r), r.thread}, batch, store);
}

void DeviceRecords::add_host(const HostWork& work, EventBatch& batch, StoreWriter& store) {
  if (work.start == 0 || work.end < work.start) return;
  HostRanges& rows = batch.host_ranges;
  rows.begin.push_back(static_cast<std::int64_t>(work.start));
  rows.end.push_back(static_cast<std::int64_t>(work.end));
  rows.name.push_back(store.intern(work.name));
  rows.thread.push_back(store.thread(work.thread));
  rows.kind.push_back(HostKind::overhead);
  rows.category.push_back(0);
  rows.site.push_back(kNone);
  rows.sequence.push_back(kNoSequence);
}

}  // namespace stepscope::cupti
