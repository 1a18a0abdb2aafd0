// SPDX-License-Identifier: Apache-2.0
#include "core/importers/nsys/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <string>

#include "core/importers/kineto/json/text.hpp"

namespace stepscope::nsys {
namespace {

constexpr std::size_t kNotesTaken = 5;

std::string text(const Row& row, int column) {
  return kineto::repaired_utf8(row.text(column));
}

// A program's process has one name; "" where PROCESSES is absent.
Status name_processes(Filling& to) {
  return to.database.each("PROCESSES", {"globalPid", "name"}, [&to](const Row& row) {
    const ProcessId process = to.entities.known_process(row.integer(0));
    if (process != kNone) to.data.processes[process].name = text(row, 1);
  });
}

// A thread may have several names: that of the highest priority is the one the program gave.
Status name_threads(Filling& to) {
  std::map<ThreadId, std::int64_t> priority;
  return to.database.each("ThreadNames", {"globalTid", "nameId", "priority"}, [&](const Row& row) {
    const ThreadId thread = to.entities.known_thread(row.integer(0));
    if (thread == kNone) return;
    const auto [known, fresh] = priority.try_emplace(thread, row.integer(2));
    if (!fresh && known->second >= row.integer(2)) return;
    known->second = row.integer(2);
    to.data.threads[thread].name = to.names.view(to.names.of(row.integer(1)));
  });
}

// MPI's rank, where nsys traced MPI.
Status read_ranks(Filling& to) {
  std::int32_t ranks = 0;
  Status status = to.database.each("MPI_RANKS", {"globalPid", "rank"}, [&](const Row& row) {
    const ProcessId process = to.entities.known_process(row.integer(0));
    const auto rank = row.id<std::int32_t>(1, -1);
    ++ranks;
    if (process != kNone) to.data.processes[process].rank = rank;
  });
  for (Process& process : to.data.processes) {
    if (process.rank >= 0) process.world_size = ranks;
  }
  return status;
}

using DeviceById = std::map<std::int64_t, Device>;

Status read_devices(Filling& to, DeviceById& by_id) {
  return to.database.each(
      "TARGET_INFO_GPU",
      {"id", "name", "totalMemory", "smCount", "computeMajor", "computeMinor", "uuid"},
      [&](const Row& row) {
        by_id[row.integer(0)] = {.name = text(row, 1),
                                 .memory_bytes = row.id<std::uint64_t>(2, 0),
                                 .multiprocessors = row.id<std::uint32_t>(3, 0),
                                 .compute_major = row.id<std::uint32_t>(4, 0),
                                 .compute_minor = row.id<std::uint32_t>(5, 0),
                                 .uuid = text(row, 6)};
      });
}

// Versions up to 2021 wrote the devices of the processes that used them alone.
Status read_devices_of_2021(Filling& to, DeviceById& by_id) {
  if (!by_id.empty()) return Done{};
  return to.database.each("TARGET_INFO_CUDA_GPU",
                          {"deviceId", "name", "globalMemorySize", "numMultiprocessors",
                           "computeCapabilityMajor", "computeCapabilityMinor"},
                          [&](const Row& row) {
                            by_id[row.integer(0)] = {.name = text(row, 1),
                                                     .memory_bytes = row.id<std::uint64_t>(2, 0),
                                                     .multiprocessors = row.id<std::uint32_t>(3, 0),
                                                     .compute_major = row.id<std::uint32_t>(4, 0),
                                                     .compute_minor = row.id<std::uint32_t>(5, 0)};
                          });
}

void note_unseen_device(Filling& to, const DeviceById& by_id) {
  const bool seen = to.data.device_ops.size() > 0 || to.data.calls.size() > 0;
  if (by_id.empty() || seen) return;
  std::vector<std::string>& notes = to.data.health.notes;
  notes.insert(notes.begin(), fmt::format("the export describes a device ({}) and holds neither "
                                          "calls nor work of it: if the program "
                                          "used it, record with nsys profile --trace cuda. What "
                                          "this report says is of the host alone",
                                          by_id.begin()->second.name));
}

// A process numbers the devices that it sees; TARGET_INFO_CUDA_DEVICE says which GPU each is.
using GpuOfDevice = std::map<std::pair<ProcessId, std::uint32_t>, std::int64_t>;

Status read_device_numbers(Filling& to, GpuOfDevice& gpu_of) {
  return to.database.each("TARGET_INFO_CUDA_DEVICE", {"pid", "cudaId", "gpuId"},
                          [&](const Row& row) {
                            const ProcessId process = to.entities.process_with_pid(row.integer(0));
                            gpu_of[{process, row.id<std::uint32_t>(1, 0)}] = row.integer(2);
                          });
}

void add_devices(Filling& to, const DeviceById& by_id, const GpuOfDevice& gpu_of) {
  std::set<std::pair<ProcessId, std::uint32_t>> used;
  for (const Stream& stream : to.data.streams) used.insert({stream.process, stream.device});
  for (const auto& [process, index] : used) {
    const auto numbered = gpu_of.find({process, index});
    const auto found = by_id.find(numbered == gpu_of.end() ? index : numbered->second);
    Device device = found == by_id.end() ? Device{} : found->second;
    device.process = process;
    device.index = index;
    to.data.devices.push_back(std::move(device));
  }
}

// 13000 -> "13.0", as CUDA's versions are coded.
std::string cuda_version(const std::string& code) {
  const int number = std::atoi(code.c_str());
  return number <= 0 ? code : fmt::format("{}.{}", number / 1000, number % 1000 / 10);
}

using Facts = std::map<std::string, std::string>;

Status read_system(Filling& to, Facts& facts, std::string& host) {
  return to.database.each("TARGET_INFO_SYSTEM_ENV", {"name", "value"}, [&](const Row& row) {
    const std::string_view name = row.text(0);
    const std::string value = text(row, 1);
    if (name == "Hostname") host = value;
    if (name == "NvDriverVersion") facts["driver"] = value;
    if (name == "CudaDriverVersion") facts["cuda_driver"] = cuda_version(value);
    if (name == "OsDescription") facts["nsys.system"] = value;
  });
}

Status read_export_version(Filling& to, Facts& facts) {
  return to.database.each("META_DATA_EXPORT", {"name", "value"}, [&](const Row& row) {
    if (row.text(0) == "EXPORT_PRODUCT_VERSION") facts["nsys"] = text(row, 1);
    if (row.text(0) == "EXPORT_SCHEMA_VERSION") facts["nsys.schema"] = text(row, 1);
    if (row.text(0) == "EXPORT_PARAM_TIMES_TO_EXPORT" && !text(row, 1).empty())
      to.data.health.notes.push_back("the trace is cut: the export holds the times " +
                                     text(row, 1) + " alone (nsys export --times)");
  });
}

// PROCESS_0 is the program that nsys started.
Status read_command(Filling& to, Facts& facts) {
  std::map<int, std::string> arguments;
  std::string command;
  Status status = to.database.each("META_DATA_CAPTURE", {"name", "value"}, [&](const Row& row) {
    constexpr std::string_view kArgument = "PROCESS_0:ARGUMENT_";
    const std::string name(row.text(0));
    if (name == "PROCESS_0:COMMAND") command = text(row, 1);
    if (name == "START_TRIGGER" && !text(row, 1).empty() && text(row, 1) != "Immediate")
      to.data.health.notes.push_back("recorded from a trigger on (" + text(row, 1) +
                                     "), so the trace may begin in the middle of the run");
    if (name == "CUDA_GRAPH_TRACE_OPTIONS:MODE") facts["nsys.graphs"] = text(row, 1);
    if (name.starts_with(kArgument))
      arguments[std::atoi(name.c_str() + kArgument.size())] = text(row, 1);
  });
  for (const auto& [number, argument] : arguments) command += " " + argument;
  if (!command.empty()) facts["command"] = command;
  return status;
}

// Warnings and errors: dropped buffers, collections that did not start.
Status read_diagnostics(Filling& to) {
  std::set<std::string> said;
  Status status = to.database.each("DIAGNOSTIC_EVENT", {"severity", "text"}, [&](const Row& row) {
    const std::int64_t severity = row.integer(0);
    if (severity == 2 || severity == 3) said.insert(text(row, 1).substr(0, 400));
  });
  std::size_t taken = 0;
  for (const std::string& message : said) {
    if (taken++ < kNotesTaken) to.data.health.notes.push_back("nsys said: " + message);
  }
  if (taken > kNotesTaken) {
    to.data.health.notes.push_back(
        fmt::format("nsys said {} more; see table DIAGNOSTIC_EVENT", taken - kNotesTaken));
  }
  return status;
}

}  // namespace

std::int64_t session_begin(const Database& database) {
  constexpr std::int64_t kWithoutEpoch_ns = 1'000'000'000;
  constexpr std::int64_t kLatest_ns = std::int64_t{1} << 61U;
  std::int64_t begin = 0;
  // An unreadable table counts as one that says nothing.
  static_cast<void>(database.each("TARGET_INFO_SESSION_START_TIME", {"utcEpochNs"},
                                  [&begin](const Row& row) { begin = row.integer(0); }));
  return begin > 0 && begin < kLatest_ns ? begin : kWithoutEpoch_ns;
}

std::int64_t session_end(Filling& to) {
  std::int64_t end = 0;
  static_cast<void>(to.database.each("ANALYSIS_DETAILS", {"stopTime"}, [&](const Row& row) {
    end = std::max(end, to.time(row, 0));
  }));
  return end;
}

Status read_facts(Filling& to, ProcessId main) {
  DeviceById by_id;
  GpuOfDevice gpu_of;
  Facts facts;
  std::string host;
  const std::array<Status, 10> read = {name_processes(to),
                                       name_threads(to),
                                       read_ranks(to),
                                       read_devices(to, by_id),
                                       read_devices_of_2021(to, by_id),
                                       read_device_numbers(to, gpu_of),
                                       read_system(to, facts, host),
                                       read_export_version(to, facts),
                                       read_command(to, facts),
                                       read_diagnostics(to)};
  for (const Status& status : read) {
    if (!status.ok()) return status;
  }
  add_devices(to, by_id, gpu_of);
  note_unseen_device(to, by_id);
  for (Process& process : to.data.processes) process.host = host;
  to.data.processes[main].facts.insert(facts.begin(), facts.end());
  return Done{};
}

void note_missing_names(Filling& to) {
  const bool has_names = to.database.has("StringIds") && to.database.rows("StringIds") > 0;
  if (!has_names && to.data.calls.size() + to.data.device_ops.size() > 0)
    to.data.health.notes.push_back(
        "the export has no table StringIds, or an empty one, so neither kernels nor calls have "
        "names: export all "
        "tables");
}

void note_unread_tables(Filling& to, std::span<const char* const> read) {
  const Database& database = to.database;
  std::string list;
  for (const std::string& table : database.tables()) {
    const bool holds_events = database.has(table, "start") || database.has(table, "timestamp");
    const bool is_read = std::find(read.begin(), read.end(), table) != read.end();
    const std::uint64_t rows = holds_events && !is_read ? database.rows(table) : 0;
    if (rows > 0) list += fmt::format("{}{} ({})", list.empty() ? "" : ", ", table, rows);
  }
  if (!list.empty())
    to.data.health.notes.push_back("tables of the export that are not read (rows): " + list);
}

}  // namespace stepscope::nsys
