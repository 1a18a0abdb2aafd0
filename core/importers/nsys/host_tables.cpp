// SPDX-License-Identifier: Apache-2.0
#include "core/importers/nsys/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace stepscope::nsys {
namespace {

void add_call(Filling& to, const Row& row) {
  const std::int64_t begin = to.time(row, 0);
  if (!to.placed(begin)) return;
  const StringId name = to.names.of_api(row.integer(4));
  const std::string_view text = to.names.view(name);
  const bool driver = text.starts_with("cu") && !text.starts_with("cuda");
  const RangeId range = to.add_range(begin, to.time(row, 1), name, to.entities.thread(row, 2),
                                     driver ? HostKind::driver_call : HostKind::runtime_call);
  if (row.null(2) || row.null(4)) ++to.data.health.missing_fields;
  Calls& c = to.data.calls;
  c.range.push_back(range);
  c.api.push_back(classify_api(text));
  c.correlation.push_back(row.id<std::uint32_t>(3, 0));
  c.stream.push_back(kNone);
  c.event.push_back(0);
  c.bytes.push_back(kUnknownBytes);
}

Status read_calls(Filling& to) {
  for (const char* table : {"CUPTI_ACTIVITY_KIND_RUNTIME", "CUPTI_ACTIVITY_KIND_DRIVER"}) {
    Status status = to.each(table, {"start", "end", "globalTid", "correlationId", "nameId"},
                            [&](const Row& row) { add_call(to, row); });
    if (!status.ok()) return status;
  }
  return Done{};
}

// Where a row has no name, by its number in ENUM_CUPTI_OVERHEAD_TYPE.
StringId overhead_name(Filling& to, const Row& row) {
  constexpr std::array kNames = {"Overhead",
                                 "Overhead",
                                 "Driver Compiler",
                                 "Buffer Flush",
                                 "Instrumentation",
                                 "Resource",
                                 "Runtime Triggered Module Loading",
                                 "Lazy Function Loading",
                                 "Command Buffer Full"};
  const StringId given = row.null(3) ? 0 : to.names.of(row.integer(3));
  if (given != 0) return given;
  const auto type = row.id<std::uint32_t>(4, 0);
  return to.names.intern(kNames[type < kNames.size() ? type : 0]);
}

Status read_overhead(Filling& to) {
  for (const char* table : {"CUPTI_ACTIVITY_KIND_OVERHEAD", "PROFILER_OVERHEAD"}) {
    Status status = to.each(table, {"start", "end", "globalTid", "nameId", "overheadType"},
                            [&](const Row& row) {
                              const std::int64_t begin = to.time(row, 0);
                              if (!to.placed(begin)) return;
                              to.add_range(begin, to.time(row, 1), overhead_name(to, row),
                                           to.entities.thread(row, 2), HostKind::overhead);
                            });
    if (!status.ok()) return status;
  }
  return Done{};
}

// The times of each thread's CUDA calls, to ask what lies within one.
class CallTimes {
 public:
  explicit CallTimes(const TraceData& data) : calls_(data.threads.size()) {
    for (const RangeId range : data.calls.range) {
      calls_[data.host_ranges.thread[range]].push_back(
          {data.host_ranges.begin[range], data.host_ranges.end[range]});
    }
    for (std::vector<Span>& calls : calls_) {
      std::sort(calls.begin(), calls.end(),
                [](const Span& a, const Span& b) { return a.begin < b.begin; });
      for (std::size_t i = 1; i < calls.size(); ++i)
        calls[i].end = std::max(calls[i].end, calls[i - 1].end);  // the latest end so far
    }
  }

  bool holds(ThreadId thread, std::int64_t begin, std::int64_t end) const {
    if (thread >= calls_.size()) return false;
    const std::vector<Span>& calls = calls_[thread];
    const auto behind =
        std::upper_bound(calls.begin(), calls.end(), begin,
                         [](std::int64_t time, const Span& call) { return time < call.begin; });
    return behind != calls.begin() && (behind - 1)->end >= end;
  }

 private:
  struct Span {
    std::int64_t begin = 0;
    std::int64_t end = 0;
  };
  std::vector<std::vector<Span>> calls_;
};

Status read_os_calls(Filling& to) {
  const CallTimes calls(to.data);
  std::uint64_t inside = 0;
  Status status = to.each("OSRT_API", {"start", "end", "globalTid", "nameId"}, [&](const Row& row) {
    const std::int64_t begin = to.time(row, 0);
    const std::int64_t end = to.time(row, 1);
    const ThreadId thread = to.entities.thread(row, 2);
    if (!to.placed(begin)) return;
    if (calls.holds(thread, begin, end)) {
      ++inside;
      return;
    }
    const StringId name = to.names.of(row.integer(3));
    const RangeId range =
        to.add_range(begin, end, name, thread, kind_of_os_call(to.names.view(name)));
    to.data.host_ranges.category[range] = to.names.intern("osrt");
  });
  if (inside > 0) {
    to.data.health.notes.push_back(fmt::format(
        "{} calls of the operating system lie within CUDA calls and are left to those", inside));
  }
  return status;
}

bool any_of(std::string_view name, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [name](std::string_view part) { return name.find(part) != name.npos; });
}

}  // namespace

HostKind kind_of_os_call(std::string_view name) {
  if (any_of(name, {"poll", "select", "wait", "sleep", "futex", "join", "mutex_lock", "rwlock",
                    "sigsuspend", "pause", "sched_yield"}))
    return HostKind::off_cpu;
  if (any_of(name, {"read", "write", "open", "close", "sync", "fgets", "fputs", "fputc", "fflush",
                    "send", "recv", "accept", "connect", "stat", "unlink", "rename", "mkdir"}) &&
      !any_of(name, {"pthread", "thread"}))
    return HostKind::io;
  return HostKind::other;
}

Status read_host_tables(Filling& to) {
  for (const auto read : {read_calls, read_overhead, read_os_calls}) {
    if (Status status = read(to); !status.ok()) return status;
  }
  return Done{};
}

}  // namespace stepscope::nsys
