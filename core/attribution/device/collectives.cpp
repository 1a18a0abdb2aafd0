// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/device/collectives.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "core/attribution/device/operation_class.hpp"

namespace stepscope {
namespace {

bool waits_for_all(std::string_view name) {
  if (classify_kernel(name) != Cause::comm_transfer) return false;
  return name.find("SendRecv") == std::string_view::npos &&
         name.find("Broadcast") == std::string_view::npos;
}

bool holds_every_rank(const Trace& trace) {
  std::set<std::int32_t> ranks;
  for (const Process& process : trace.data().processes) {
    if (process.rank >= 0) ranks.insert(process.rank);
  }
  const std::int32_t world = trace.data().processes.front().world_size;
  return world > 1 && ranks.size() == static_cast<std::size_t>(world) &&
         trace.data().processes.size() == ranks.size();
}

// A process's collectives in the order in which they began.
std::vector<std::vector<DeviceOpId>> sequences(const Trace& trace) {
  const DeviceOps& d = trace.device_ops();
  std::vector<std::vector<DeviceOpId>> by_process(trace.data().processes.size());
  for (DeviceOpId op = 0; op < d.size(); ++op) {
    if (d.kind[op] != DeviceOpKind::kernel || !waits_for_all(trace.text(d.name[op]))) continue;
    by_process[trace.data().streams[d.stream[op]].process].push_back(op);
  }
  return by_process;
}

bool agree(const Trace& trace, const std::vector<std::vector<DeviceOpId>>& sequences) {
  const auto& names = trace.device_ops().name;
  return std::all_of(sequences.begin(), sequences.end(), [&](const std::vector<DeviceOpId>& one) {
    return std::equal(one.begin(), one.end(), sequences.front().begin(), sequences.front().end(),
                      [&names](DeviceOpId a, DeviceOpId b) { return names[a] == names[b]; });
  });
}

// Of the n-th collective.
LastEntry last_of(const Trace& trace, const std::vector<std::vector<DeviceOpId>>& sequences,
                  std::size_t n) {
  LastEntry last{std::numeric_limits<std::int64_t>::min()};
  for (std::size_t process = 0; process < sequences.size(); ++process) {
    const std::int64_t begin = trace.device_ops().begin[sequences[process][n]];
    const std::int32_t rank = trace.data().processes[process].rank;
    if (begin > last.time || (begin == last.time && rank < last.rank)) last = {begin, rank};
  }
  return last;
}

}  // namespace

LastEntries last_entries(const Trace& trace) {
  LastEntries entries;
  if (trace.data().processes.empty() || !holds_every_rank(trace)) return entries;
  const auto by_process = sequences(trace);
  if (!agree(trace, by_process)) return entries;
  for (std::size_t n = 0; n < by_process.front().size(); ++n) {
    const LastEntry last = last_of(trace, by_process, n);
    for (const auto& one : by_process) entries[one[n]] = last;
  }
  return entries;
}

}  // namespace stepscope
