// SPDX-License-Identifier: Apache-2.0
// The device ops of the process by name, cause and phase: their own times, which may overlap.
#include <map>
#include <tuple>

#include "core/summary/parts.hpp"
#include "core/summary/rows/by_time.hpp"

namespace stepscope::summary_parts {
namespace {

struct KernelSum {
  std::uint64_t calls = 0;
  std::int64_t ns = 0;
  std::uint64_t bytes = 0;
  std::int64_t ns_with_bytes = 0;

  void add(std::int64_t length, std::uint64_t op_bytes) {
    calls += 1;
    ns += length;
    if (op_bytes == kUnknownBytes) return;
    bytes += op_bytes;
    ns_with_bytes += length;
  }
  std::optional<double> bytes_per_second() const {
    if (bytes == 0 || ns_with_bytes == 0) return std::nullopt;
    return static_cast<double>(bytes) / (static_cast<double>(ns_with_bytes) / 1e9);
  }
};

}  // namespace

std::vector<KernelRow> kernel_rows(const Trace& trace, const Steps& steps,
                                   const Attribution& attribution, const Counting& counting) {
  const DeviceOps& ops = trace.device_ops();
  std::map<std::tuple<StringId, Cause, PhaseId>, KernelSum> sums;
  for (DeviceOpId op = 0; op < attribution.ops.size(); ++op) {
    if (trace.data().streams[ops.stream[op]].process != steps.process) continue;
    if (!counting.covers(ops.begin[op])) continue;
    const OpOwner owner = attribution.ops[op];
    sums[{ops.name[op], owner.cause, owner.phase}].add(ops.end[op] - ops.begin[op], ops.bytes[op]);
  }
  std::vector<KernelRow> rows;
  for (const auto& [key, sum] : sums) {
    const auto [name, cause, phase] = key;
    rows.push_back({std::string(trace.text(name)), cause, phase_name(attribution.phases, phase),
                    sum.calls, sum.ns, sum.bytes, sum.bytes_per_second()});
  }
  sort_by_time(rows);
  return rows;
}

}  // namespace stepscope::summary_parts
