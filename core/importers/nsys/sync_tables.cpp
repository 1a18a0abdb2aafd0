// SPDX-License-Identifier: Apache-2.0
#include "core/importers/nsys/tables.hpp"

#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

namespace stepscope::nsys {
namespace {

constexpr std::uint32_t kNoStream = 0xffffffffU;  // CUPTI_SYNCHRONIZATION_INVALID_VALUE

class SyncReader {
 public:
  explicit SyncReader(Filling& to) : to_(to) {}

  Status read_records() {
    return to_.each("CUPTI_ACTIVITY_KIND_CUDA_EVENT",
                    {"globalPid", "deviceId", "contextId", "streamId", "correlationId", "eventId",
                     "eventSyncId"},
                    [this](const Row& row) { add_record(row); });
  }

  Status read_waits() {
    return to_.each("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
                    {"globalPid", "deviceId", "contextId", "streamId", "correlationId", "eventId",
                     "eventSyncId", "syncType", "start", "end"},
                    [this](const Row& row) { add_wait(row); });
  }

  // Hands stream and event to the calls with the same correlation.
  bool finish() {
    Calls& c = to_.data.calls;
    const HostRanges& h = to_.data.host_ranges;
    for (CallId call = 0; call < c.size() && !arguments_.empty(); ++call) {
      const ProcessId process = to_.data.threads[h.thread[c.range[call]]].process;
      const auto found = arguments_.find(key(process, c.correlation[call]));
      if (c.correlation[call] == 0 || found == arguments_.end()) continue;
      c.stream[call] = found->second.stream;
      c.event[call] = found->second.event;
    }
    return joined_;
  }

 private:
  enum Column {
    kProcess,
    kDevice,
    kContext,
    kStream,
    kCorrelation,
    kEvent,
    kSync,
    kKind,
    kBegin,
    kEnd
  };
  struct Argument {
    StreamId stream = kNone;
    std::uint64_t event = 0;
  };

  static std::uint64_t key(ProcessId process, std::uint32_t correlation) {
    return std::uint64_t{process} << 32U | correlation;
  }

  StreamId stream_of(const Row& row) {
    const auto stream = row.id<std::uint32_t>(kStream, kNoStream);
    if (stream == kNoStream) return kNone;
    return to_.entities.stream(to_.entities.process(row, kProcess),
                               row.id<std::uint32_t>(kDevice, 0),
                               row.id<std::uint32_t>(kContext, 0), stream);
  }

  // Event ids count within a context; 0 means "none" in the model, so handles start at 1.
  static std::uint64_t handle_of(const Row& row) {
    const auto id = row.id<std::uint32_t>(kEvent, kNoStream);
    if (id == kNoStream) return 0;
    return (std::uint64_t{row.id<std::uint32_t>(kContext, 0)} << 32U | id) + 1;
  }

  void add_record(const Row& row) {
    const ProcessId process = to_.entities.process(row, kProcess);
    const auto correlation = row.id<std::uint32_t>(kCorrelation, 0);
    const std::uint64_t event = handle_of(row);
    arguments_[key(process, correlation)] = {stream_of(row), event};
    if (const auto sync = row.id<std::uint64_t>(kSync, 0); sync != 0)
      by_sync_[{process, sync}] = correlation;
    by_event_.insert({process, event, correlation});
  }

  std::uint32_t awaited(const Row& row, ProcessId process, std::uint32_t correlation) const {
    const auto by_sync = by_sync_.find({process, row.id<std::uint64_t>(kSync, 0)});
    if (by_sync != by_sync_.end()) return by_sync->second;
    const auto after = by_event_.lower_bound({process, handle_of(row), correlation});
    if (after == by_event_.begin() || handle_of(row) == 0) return 0;
    const auto& [owner, event, record] = *std::prev(after);
    return owner == process && event == handle_of(row) ? record : 0;
  }

  void add_wait(const Row& row) {
    const std::int64_t begin = to_.time(row, kBegin);
    if (!to_.placed(begin)) return;
    const ProcessId process = to_.entities.process(row, kProcess);
    const auto correlation = row.id<std::uint32_t>(kCorrelation, 0);
    Syncs& s = to_.data.syncs;
    s.begin.push_back(begin);
    s.end.push_back(to_.time(row, kEnd));
    s.api.push_back(sync_kind(row.integer(kKind)));
    s.stream.push_back(stream_of(row));
    s.correlation.push_back(correlation);
    s.awaited_correlation.push_back(awaited(row, process, correlation));
    joined_ = joined_ || s.awaited_correlation.back() != 0;
    arguments_[key(process, correlation)] = {s.stream.back(), handle_of(row)};
  }

  Filling& to_;
  std::unordered_map<std::uint64_t, Argument> arguments_;
  std::map<std::pair<ProcessId, std::uint64_t>, std::uint32_t> by_sync_;
  std::set<std::tuple<ProcessId, std::uint64_t, std::uint32_t>> by_event_;
  bool joined_ = false;
};

}  // namespace

Result<bool> read_sync_tables(Filling& to) {
  SyncReader reader(to);
  if (const Status records = reader.read_records(); !records.ok()) return records.error();
  if (const Status waits = reader.read_waits(); !waits.ok()) return waits.error();
  return reader.finish();
}

}  // namespace stepscope::nsys
