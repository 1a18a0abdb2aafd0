// SPDX-License-Identifier: Apache-2.0
#include "core/importers/nsys/nsys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/importers/nsys/tables.hpp"

namespace stepscope {
namespace {

constexpr std::array<const char*, 14> kEventTables = {
    "CUPTI_ACTIVITY_KIND_KERNEL",
    "CUPTI_ACTIVITY_KIND_MEMCPY",
    "CUPTI_ACTIVITY_KIND_MEMSET",
    "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
    "CUPTI_ACTIVITY_KIND_RUNTIME",
    "CUPTI_ACTIVITY_KIND_DRIVER",
    "CUPTI_ACTIVITY_KIND_OVERHEAD",
    "PROFILER_OVERHEAD",
    "OSRT_API",
    "NVTX_EVENTS",
    "CUPTI_ACTIVITY_KIND_CUDA_EVENT",
    "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
    "CUDA_GRAPH_NODE_EVENTS",
    "DIAGNOSTIC_EVENT",
};

Error in_export(const std::filesystem::path& path, Error error) {
  error.message = fmt::format("{}: {}", path.string(), error.message);
  return error;
}

bool has_ops(const std::vector<HostKind>& kinds) {
  return std::any_of(kinds.begin(), kinds.end(), [](HostKind kind) {
    return kind == HostKind::op || kind == HostKind::backward_node;
  });
}

// What was recorded is read off what was exported: nsys leaves tables out that stayed empty.
void set_nsys_collected(nsys::Filling& to, bool api_arguments) {
  const TraceData& data = to.data;
  Collected& c = to.data.collected;
  c.device_ops = data.device_ops.size() > 0;
  c.api_calls = data.calls.size() > 0;
  c.api_arguments = api_arguments;
  c.framework_ops = has_ops(data.host_ranges.kind);
  c.user_scopes =
      std::any_of(data.host_ranges.kind.begin(), data.host_ranges.kind.end(), is_annotation);
  c.off_cpu = c.io = to.database.rows("OSRT_API") > 0;
}

Status check_not_empty(const TraceData& data) {
  if (data.host_ranges.size() > 0 || data.device_ops.size() > 0) return Done{};
  if (!data.health.notes.empty()) return bad_input(data.health.notes.front());
  return bad_input(
      "an export of Nsight Systems without events of the program: record with nsys "
      "profile --trace cuda,nvtx,osrt, and export all tables");
}

Result<TraceData> fill(nsys::Filling& to) {
  for (const char* table : kEventTables) to.expect(to.database.rows(table));
  if (const Status status = nsys::read_device_tables(to); !status.ok()) return status.error();
  if (const Status status = nsys::read_host_tables(to); !status.ok()) return status.error();
  const Status nvtx = nsys::read_nvtx_table(to, nsys::session_end(to));
  if (!nvtx.ok()) return nvtx.error();
  if (const Status status = check_not_empty(to.data); !status.ok()) return status.error();
  const Result<bool> joined = nsys::read_sync_tables(to);
  if (!joined.ok()) return joined.error();
  const Status facts = nsys::read_facts(to, to.entities.finish());
  if (!facts.ok()) return facts.error();
  nsys::note_missing_names(to);
  nsys::note_unread_tables(to, kEventTables);
  set_nsys_collected(to, *joined);
  return std::move(to.data);
}

}  // namespace

Result<TraceData> read_nsys(const std::filesystem::path& path, const Progress& progress,
                            const MemoryRoom& room) {
  if (is_nsys_report(path)) return nsys_report_error(path);
  const Result<nsys::Database> database = nsys::open_export(path);
  if (!database.ok()) return in_export(path, database.error());
  nsys::Filling filling(*database, progress, room, nsys::session_begin(*database));
  Result<TraceData> data = fill(filling);
  if (!data.ok()) return in_export(path, data.error());
  data->source = SourceKind::nsys;
  data->path = path.string();
  return data;
}

}  // namespace stepscope
