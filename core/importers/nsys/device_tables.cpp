// SPDX-License-Identifier: Apache-2.0
#include "core/importers/nsys/tables.hpp"

#include <fmt/format.h>

#include <limits>
#include <map>

#include "core/support/interval.hpp"

namespace stepscope::nsys {
namespace {

// The columns that all device tables share stand first, in this order; a table's own follow.
#define STEPSCOPE_NSYS_DEVICE_COLUMNS                                                           \
  "start", "end", "globalPid", "deviceId", "contextId", "streamId", "correlationId", "graphId", \
      "graphNodeId"
constexpr int kOwn = 9;

// A row of zeros has no time. One whose end alone is missing, or cannot be, has no length.
Interval span_of(const Filling& to, const Row& row) {
  const bool is_lost = row.integer(0, 0) == 0 && row.integer(1, 0) == 0;
  const std::int64_t begin = is_lost ? 0 : to.time(row, 0), end = to.time(row, 1);
  return {begin, begin == 0 ? 0 : (end == 0 ? begin : end)};
}

void add_op(Filling& to, const Row& row, DeviceOpKind kind, StringId name) {
  DeviceOps& d = to.data.device_ops;
  if (row.null(2) || row.null(5) || row.null(6)) ++to.data.health.missing_fields;
  const Interval span = span_of(to, row);
  d.begin.push_back(span.begin);
  d.end.push_back(span.end);
  d.name.push_back(name);
  d.kind.push_back(kind);
  d.stream.push_back(to.entities.stream(to.entities.process(row, 2), row.id<std::uint32_t>(3, 0),
                                        row.id<std::uint32_t>(4, 0), row.id<std::uint32_t>(5, 0)));
  d.correlation.push_back(row.id<std::uint32_t>(6, 0));
  d.graph.push_back(row.id<std::uint32_t>(7, 0));
  d.graph_node.push_back(row.id<std::uint64_t>(8, 0));
  d.bytes.push_back(kUnknownBytes);
  d.copy_kind.push_back(CopyKind::none);
  d.source_memory.push_back(MemoryKind::unknown);
  d.target_memory.push_back(MemoryKind::unknown);
  d.launch_config.push_back(kNone);
}

// The longest name that there is: the demangled one has template arguments.
StringId kernel_name(Filling& to, const Row& row) {
  for (const int column : {kOwn, kOwn + 1, kOwn + 2}) {
    if (const StringId name = row.null(column) ? 0 : to.names.of(row.integer(column)); name != 0)
      return name;
  }
  ++to.data.health.missing_fields;
  return to.names.intern("(kernel without a name)");
}

LaunchConfig launch_config(const Row& row) {
  const auto number = [&row](int column) { return row.id<std::uint32_t>(kOwn + 3 + column, 0); };
  const std::uint64_t shared = std::uint64_t{number(7)} + number(8);
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  return {.grid = {number(0), number(1), number(2)},
          .block = {number(3), number(4), number(5)},
          .registers_per_thread = number(6),
          .shared_bytes = static_cast<std::uint32_t>(shared < kMost ? shared : kMost)};
}

Status read_kernels(Filling& to) {
  std::map<LaunchConfig, LaunchConfigId> configs;
  const auto visit = [&](const Row& row) {
    add_op(to, row, DeviceOpKind::kernel, kernel_name(to, row));
    const LaunchConfig config = launch_config(row);
    const auto [at, fresh] =
        configs.try_emplace(config, static_cast<LaunchConfigId>(configs.size()));
    if (fresh) to.data.launch_configs.push_back(config);
    to.data.device_ops.launch_config.back() = at->second;
  };
  return to.each("CUPTI_ACTIVITY_KIND_KERNEL",
                 {STEPSCOPE_NSYS_DEVICE_COLUMNS, "demangledName", "shortName", "mangledName",
                  "gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ", "registersPerThread",
                  "staticSharedMemory", "dynamicSharedMemory"},
                 visit);
}

Status read_copies(Filling& to) {
  constexpr std::int64_t kManaged = 4, kUnknownMemory = 7;
  return to.each(
      "CUPTI_ACTIVITY_KIND_MEMCPY",
      {STEPSCOPE_NSYS_DEVICE_COLUMNS, "bytes", "copyKind", "srcKind", "dstKind"},
      [&](const Row& row) {
        const std::int64_t code = row.integer(kOwn + 1);
        const bool migrates = is_migration(code);
        const std::int64_t source = migrates ? kManaged : row.integer(kOwn + 2, kUnknownMemory);
        const std::int64_t target = migrates ? kManaged : row.integer(kOwn + 3, kUnknownMemory);
        add_op(to, row, DeviceOpKind::memcpy, to.names.intern(copy_name(code, source, target)));
        DeviceOps& d = to.data.device_ops;
        d.bytes.back() = row.id<std::uint64_t>(kOwn, kUnknownBytes);
        d.copy_kind.back() = copy_kind(code);
        d.source_memory.back() = memory_kind(source);
        d.target_memory.back() = memory_kind(target);
      });
}

Status read_sets(Filling& to) {
  constexpr std::int64_t kUnknownMemory = 7;
  return to.each("CUPTI_ACTIVITY_KIND_MEMSET", {STEPSCOPE_NSYS_DEVICE_COLUMNS, "bytes", "memKind"},
                 [&](const Row& row) {
                   const std::int64_t memory = row.integer(kOwn + 1, kUnknownMemory);
                   add_op(to, row, DeviceOpKind::memset, to.names.intern(set_name(memory)));
                   to.data.device_ops.bytes.back() = row.id<std::uint64_t>(kOwn, kUnknownBytes);
                   to.data.device_ops.target_memory.back() = memory_kind(memory);
                 });
}

// One row a launch, from the first node's begin to the last one's end; its nodes have no rows then.
Status read_graphs(Filling& to) {
  return to.each(
      "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", {STEPSCOPE_NSYS_DEVICE_COLUMNS}, [&](const Row& row) {
        const auto graph = row.id<std::uint32_t>(7, 0);
        add_op(to, row, DeviceOpKind::graph, to.names.intern(fmt::format("CUDA graph {}", graph)));
      });
}

Status read_graph_nodes(Filling& to) {
  return to.each("CUDA_GRAPH_NODE_EVENTS",
                 {"start", "globalTid", "graphNodeId", "originalGraphNodeId"}, [&](const Row& row) {
                   const std::int64_t time = to.time(row, 0);
                   if (!to.placed(time)) return;
                   GraphNodes& g = to.data.graph_nodes;
                   g.time.push_back(time);
                   g.thread.push_back(to.entities.thread(row, 1));
                   g.node.push_back(row.id<std::uint64_t>(2, 0));
                   g.original.push_back(row.id<std::uint64_t>(3, 0));
                   g.site.push_back(kNone);
                 });
}

#undef STEPSCOPE_NSYS_DEVICE_COLUMNS

}  // namespace

Status read_device_tables(Filling& to) {
  for (const auto read : {read_kernels, read_copies, read_sets, read_graphs, read_graph_nodes}) {
    if (Status status = read(to); !status.ok()) return status;
  }
  return Done{};
}

}  // namespace stepscope::nsys
