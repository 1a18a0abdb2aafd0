// SPDX-License-Identifier: Apache-2.0
// What was sent, by operation, communicator and phase, and how fast. Bytes are those that the calls
// were given: for an all-gather or a reduce-scatter one rank's part.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "core/summary/parts.hpp"
#include "core/summary/rows/by_time.hpp"

namespace stepscope::summary_parts {
namespace {

std::string_view name_of(ReduceOperation reduce) {
  constexpr std::string_view kNames[] = {"",        "sum",     "product", "maximum",
                                         "minimum", "average", "other"};
  return kNames[static_cast<std::size_t>(reduce)];
}

// What a transfer's calls have in common; what differs among a group's calls is left out.
struct Kind {
  std::string operation;  // "AllReduce", "Recv+Send"
  std::uint64_t communicator = 0;
  std::string_view reduce;
  PhaseId phase = 0;
  friend bool operator<(const Kind& a, const Kind& b) {
    return std::tie(a.operation, a.communicator, a.reduce, a.phase) <
           std::tie(b.operation, b.communicator, b.reduce, b.phase);
  }
};

std::string operation_of(const Trace& trace, const Transfer& transfer) {
  std::set<std::string_view> names;
  for (const std::uint32_t row : transfer.calls) {
    std::string_view name =
        trace.text(trace.host_ranges().name[trace.data().collectives.range[row]]);
    if (name.starts_with("nccl")) name.remove_prefix(4);
    names.insert(name);
  }
  std::string joined;
  for (const std::string_view name : names)
    joined += (joined.empty() ? "" : "+") + std::string(name);
  return joined;
}

template <class T>
T common(const std::vector<T>& column, const Transfer& transfer, T otherwise) {
  const T first = column[transfer.calls.front()];
  const bool same = std::all_of(transfer.calls.begin(), transfer.calls.end(),
                                [&](std::uint32_t row) { return column[row] == first; });
  return same ? first : otherwise;
}

Kind kind_of(const Trace& trace, const Transfer& transfer, PhaseId phase) {
  const Collectives& c = trace.data().collectives;
  return {operation_of(trace, transfer), common(c.communicator, transfer, std::uint64_t{0}),
          name_of(common(c.reduce, transfer, ReduceOperation::none)), phase};
}

std::uint64_t bytes_of(const Trace& trace, const Transfer& transfer) {
  std::uint64_t sum = 0;
  for (const std::uint32_t row : transfer.calls) {
    const std::uint64_t bytes = trace.data().collectives.bytes[row];
    sum += bytes == kUnknownBytes ? 0 : bytes;
  }
  return sum;
}

struct TransferSum {
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;
  std::int64_t ns = 0;
  std::map<std::int32_t, std::int64_t> late;  // by the rank that was waited for
};

void add_late(const LastEntries& entries, DeviceOpId op, Interval time, TransferSum& sum) {
  const auto last = entries.find(op);
  if (last == entries.end()) return;
  const std::int64_t late = std::min(time.end, last->second.time) - time.begin;
  if (late > 0) sum.late[last->second.rank] += late;
}

void tell_late(const TransferSum& sum, TransferRow& row) {
  for (const auto& [rank, ns] : sum.late) {
    row.late_ns_total += ns;
    if (ns <= row.latest_rank_ns_total) continue;
    row.latest_rank = rank;
    row.latest_rank_ns_total = ns;
  }
}

}  // namespace

std::vector<TransferRow> transfer_rows(const Trace& trace, const Steps& steps,
                                       const Attribution& attribution, const Counting& counting) {
  const DeviceOps& ops = trace.device_ops();
  std::map<Kind, TransferSum> sums;
  std::vector<bool> counted(attribution.transfers.size());
  for (DeviceOpId op = 0; op < attribution.ops.size(); ++op) {
    const OpOwner owner = attribution.ops[op];
    if (owner.transfer == kNone || !counting.covers(ops.begin[op])) continue;
    if (trace.data().streams[ops.stream[op]].process != steps.process) continue;
    const Transfer& transfer = attribution.transfers[owner.transfer];
    TransferSum& sum = sums[kind_of(trace, transfer, owner.phase)];
    sum.ns += ops.end[op] - ops.begin[op];
    add_late(attribution.last_entries, op, {ops.begin[op], ops.end[op]}, sum);
    if (counted[owner.transfer]) continue;
    counted[owner.transfer] = true;
    sum.calls += transfer.calls.size();
    sum.bytes += bytes_of(trace, transfer);
  }
  std::vector<TransferRow> rows;
  for (const auto& [kind, sum] : sums) {
    rows.push_back({kind.operation, kind.communicator, std::string(kind.reduce),
                    phase_name(attribution.phases, kind.phase), sum.calls, sum.bytes, sum.ns});
    tell_late(sum, rows.back());
  }
  sort_by_time(rows);
  return rows;
}

}  // namespace stepscope::summary_parts
