// SPDX-License-Identifier: Apache-2.0
// Finds which ops of several processes are one collective:
//     where calls name their communicator: ops of the same communicator and ordinal, one of each
//   process that uses the communicator, under one kernel's name
//     where none does: the n-th of each process, if all ran the same sequence of names
// Hosts have clocks of their own. A collective ends on all of them nearly at once, so the median
// difference of the ends is the difference of the clocks.
// An op that ended before the last entry was in another collective: then the pairing is wrong, and
// nothing of that communicator (or of that sequence) is decided.
#include "core/attribution/device/collectives.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "core/attribution/device/messages.hpp"
#include "core/attribution/device/operation_class.hpp"
#include "core/support/statistics.hpp"

namespace stepscope {
namespace {

// One op of each process that takes part.
using Collective = std::vector<DeviceOpId>;
// Collectives that one rule has paired: all are right, or all are wrong.
using PairedOps = std::vector<Collective>;
// By host: how far its clock is ahead of the first host's.
using HostClocks = std::map<std::string_view, std::int64_t>;

bool has(std::string_view name, std::string_view part) {
  return name.find(part) != std::string_view::npos;
}

bool waits_for_peers(std::string_view name) {
  return classify_kernel(name) == Cause::comm_transfer &&
         (has(name, "SendRecv") || has(name, "Broadcast"));
}

bool waits_for_all(std::string_view name) {
  return classify_kernel(name) == Cause::comm_transfer && !has(name, "SendRecv") &&
         !has(name, "Broadcast") && !has(name, "_Reduce_");
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

ProcessId process_of(const Trace& trace, DeviceOpId op) {
  return trace.data().streams[trace.device_ops().stream[op]].process;
}

std::string_view host_of(const Trace& trace, DeviceOpId op) {
  return trace.data().processes[process_of(trace, op)].host;
}

// Returns the kernels with such names in the order in which they began.
template <class HasName>
std::vector<DeviceOpId> kernels_that(const Trace& trace, HasName has_name) {
  const DeviceOps& d = trace.device_ops();
  std::map<StringId, bool> by_name;
  std::vector<DeviceOpId> ops;
  for (DeviceOpId op = 0; op < d.size(); ++op) {
    if (d.kind[op] != DeviceOpKind::kernel) continue;
    const auto [known, is_new] = by_name.try_emplace(d.name[op], false);
    if (is_new) known->second = has_name(trace.text(d.name[op]));
    if (known->second) ops.push_back(op);
  }
  return ops;
}

bool have_one_name(const Trace& trace, const Collective& ops) {
  const auto& names = trace.device_ops().name;
  return std::all_of(ops.begin(), ops.end(),
                     [&](DeviceOpId op) { return names[op] == names[ops.front()]; });
}

// Returns what the calls that launched the op say of it.
std::optional<CollectiveOp> told_of(const Trace& trace, Messages& messages, DeviceOpId op) {
  const CallId launch = trace.launch_of(op);
  if (launch == kNone) return std::nullopt;
  const Messages::Calls& calls = messages.launched_in(trace.calls().range[launch]);
  const Collectives& c = trace.data().collectives;
  const auto alike = [&](std::uint32_t row) {
    return c.communicator[row] != 0 && c.communicator[row] == c.communicator[calls.front()];
  };
  if (calls.empty() || !std::all_of(calls.begin(), calls.end(), alike)) return std::nullopt;
  CollectiveOp out{op, c.communicator[calls.front()], c.ordinal[calls.front()]};
  for (const std::uint32_t row : calls) {
    out.bytes += c.bytes[row];
    const std::string_view call = trace.text(trace.host_ranges().name[c.range[row]]);
    const bool sends = call.starts_with("ncclSend");
    const bool receives = call.starts_with("ncclRecv") || call.starts_with("ncclBroadcast") ||
                          call.starts_with("ncclBcast");
    if (c.peer[row] != kNone && (sends || receives)) out.messages.push_back({c.peer[row], sends});
  }
  return out;
}

std::vector<PairedOps> by_communicator(const Trace& trace, const std::vector<DeviceOpId>& ops) {
  Messages messages(trace);
  std::map<std::uint64_t, std::map<std::uint32_t, Collective>> grouped;
  std::map<std::uint64_t, std::set<ProcessId>> members;
  for (const DeviceOpId op : ops) {
    const auto told = told_of(trace, messages, op);
    if (!told) continue;
    grouped[told->communicator][told->ordinal].push_back(op);
    members[told->communicator].insert(process_of(trace, op));
  }
  std::vector<PairedOps> out;
  for (auto& [communicator, by_ordinal] : grouped) {
    PairedOps paired;
    for (auto& [ordinal, collective] : by_ordinal) {
      std::set<ProcessId> there;
      for (const DeviceOpId op : collective) there.insert(process_of(trace, op));
      const bool whole =
          there.size() == collective.size() && there == members[communicator] && there.size() > 1;
      if (whole && have_one_name(trace, collective)) paired.push_back(std::move(collective));
    }
    out.push_back(std::move(paired));
  }
  return out;
}

PairedOps by_sequence(const Trace& trace, const std::vector<DeviceOpId>& ops) {
  std::vector<std::vector<DeviceOpId>> by_process(trace.data().processes.size());
  for (const DeviceOpId op : ops) by_process[process_of(trace, op)].push_back(op);
  PairedOps paired;
  for (std::size_t n = 0; n < by_process.front().size(); ++n) {
    Collective collective;
    for (const auto& own : by_process) {
      if (own.size() != by_process.front().size()) return {};
      collective.push_back(own[n]);
    }
    if (!have_one_name(trace, collective)) return {};
    paired.push_back(std::move(collective));
  }
  return paired;
}

// A host that shares no collective with the first one has no entry.
HostClocks compare_clocks(const Trace& trace, const std::vector<PairedOps>& all) {
  const std::string_view first = trace.data().processes.front().host;
  std::map<std::string_view, std::vector<std::int64_t>> ahead;
  for (const PairedOps& paired : all) {
    for (const Collective& collective : paired) {
      std::map<std::string_view, std::int64_t> ends;
      for (const DeviceOpId op : collective) {
        const std::int64_t end = trace.device_ops().end[op];
        const auto [known, is_new] = ends.try_emplace(host_of(trace, op), end);
        known->second = std::max(known->second, end);
      }
      const auto own = ends.find(first);
      if (own == ends.end()) continue;
      for (const auto& [host, end] : ends) ahead[host].push_back(end - own->second);
    }
  }
  HostClocks clocks{{first, 0}};
  for (auto& [host, differences] : ahead) clocks[host] = percentile(std::move(differences), 0.5);
  return clocks;
}

// Returns the last entry by the first host's clock. Empty: some host's clock is not known, or an op
// ended before the entry.
std::optional<LastEntry> last_of(const Trace& trace, const Collective& collective,
                                 const HostClocks& clocks) {
  LastEntry last{std::numeric_limits<std::int64_t>::min()};
  std::int64_t first_end = std::numeric_limits<std::int64_t>::max();
  for (const DeviceOpId op : collective) {
    const auto clock = clocks.find(host_of(trace, op));
    if (clock == clocks.end()) return std::nullopt;
    const std::int64_t begin = trace.device_ops().begin[op] - clock->second;
    const std::int32_t rank = trace.data().processes[process_of(trace, op)].rank;
    if (begin > last.time || (begin == last.time && rank < last.rank)) last = {begin, rank};
    first_end = std::min(first_end, trace.device_ops().end[op] - clock->second);
  }
  return first_end < last.time ? std::nullopt : std::optional(last);
}

void add_entries(const Trace& trace, const PairedOps& paired, const HostClocks& clocks,
                 LastEntries& entries) {
  std::vector<LastEntry> lasts;
  for (const Collective& collective : paired) {
    const std::optional<LastEntry> last = last_of(trace, collective, clocks);
    if (!last) return;
    lasts.push_back(*last);
  }
  for (std::size_t n = 0; n < paired.size(); ++n) {
    for (const DeviceOpId op : paired[n])
      entries[op] = {lasts[n].time + clocks.at(host_of(trace, op)), lasts[n].rank};
  }
}

}  // namespace

std::vector<CollectiveOp> collective_ops_of(const Trace& trace, ProcessId process) {
  Messages messages(trace);
  std::vector<CollectiveOp> out;
  const auto waits = [](std::string_view name) {
    return waits_for_all(name) || waits_for_peers(name);
  };
  for (const DeviceOpId op : kernels_that(trace, waits)) {
    if (process_of(trace, op) != process) continue;
    const std::string_view name = trace.text(trace.device_ops().name[op]);
    CollectiveOp found = told_of(trace, messages, op).value_or(CollectiveOp{op});
    if (waits_for_all(name) == found.messages.empty()) out.push_back(std::move(found));
  }
  return out;
}

bool group_waits_for_all(std::string_view name) {
  constexpr std::string_view kWaiting[] = {"all_",     "allreduce",      "allgather",
                                           "alltoall", "reduce_scatter", "barrier"};
  return std::any_of(std::begin(kWaiting), std::end(kWaiting), [name](std::string_view part) {
    return name.find(part) != std::string_view::npos;
  });
}

LastEntries last_entries(const Trace& trace) {
  LastEntries entries;
  if (trace.data().processes.empty() || !holds_every_rank(trace)) return entries;
  const std::vector<DeviceOpId> ops = kernels_that(trace, waits_for_all);
  std::vector<PairedOps> all = by_communicator(trace, ops);
  if (all.empty()) all.push_back(by_sequence(trace, ops));
  const HostClocks clocks = compare_clocks(trace, all);
  for (const PairedOps& paired : all) add_entries(trace, paired, clocks, entries);
  return entries;
}

}  // namespace stepscope
