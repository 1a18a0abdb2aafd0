// SPDX-License-Identifier: Apache-2.0
// Lines and kernels: sums with names. Sites that differ only in their function are one line.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "core/summary/parts.hpp"

namespace stepscope::summary_parts {
namespace {

struct Part {               // of an event's time, owned at a line
  std::uint64_t event = 0;  // see evidence_event
  std::int64_t ns = 0;
};

std::uint64_t evidence_event(const Segment& s) {
  return s.host_evidence != kNone ? s.host_evidence : kDeviceBit | s.device_evidence;
}

std::string event_name(std::uint64_t event) {
  const bool device = (event & kDeviceBit) != 0;
  return fmt::format("{}{}", device ? 'd' : 'h', event & ~kDeviceBit);
}

// One row an event: an event's time may be cut into several segments.
void merge_by_event(std::vector<Part>& parts) {
  std::sort(parts.begin(), parts.end(),
            [](const Part& a, const Part& b) { return a.event < b.event; });
  std::size_t kept = 0;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (parts[i].event == parts[kept].event) {
      parts[kept].ns += parts[i].ns;
    } else {
      parts[++kept] = parts[i];
    }
  }
  parts.resize(parts.empty() ? 0 : kept + 1);
}

void fill(LineRow& row, std::vector<Part> parts) {
  constexpr std::size_t kExamples = 3;
  merge_by_event(parts);
  for (const Part& part : parts) row.ns_total += part.ns;
  std::erase_if(parts, [](const Part& part) { return part.event == kNoEvent; });
  row.calls_total = parts.size();
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Part& a, const Part& b) { return a.ns > b.ns; });
  for (std::size_t i = 0; i < std::min(kExamples, parts.size()); ++i) {
    row.evidence.push_back(event_name(parts[i].event));
  }
}

template <class Row>
void sort_largest_first(std::vector<Row>& rows) {
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.ns_total > b.ns_total; });
}

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

std::vector<LineRow> line_rows(const Trace& trace, const Partition& partition,
                               const Counting& counting) {
  std::map<std::tuple<StringId, std::uint32_t, SiteKind, Direction, Cause>, std::vector<Part>>
      parts;
  std::map<std::tuple<StringId, std::uint32_t, SiteKind>, StringId> functions;
  for (const Segment& s : partition.segments) {
    const std::int64_t ns = s.site == kNone ? 0 : total_length(clip(counting.windows, s.time));
    if (ns == 0) continue;
    const Site& site = trace.data().sites[s.site];
    functions.try_emplace({site.file, site.line, site.kind}, site.function);
    parts[{site.file, site.line, site.kind, s.direction, s.cause}].push_back(
        {evidence_event(s), ns});
  }
  std::vector<LineRow> rows;
  for (auto& [key, list] : parts) {
    const auto [file, line, kind, direction, cause] = key;
    LineRow row{.file = std::string(trace.text(file)), .line = line, .kind = kind, .cause = cause};
    row.function = trace.text(functions.at({file, line, kind}));
    row.direction = direction;
    fill(row, std::move(list));
    rows.push_back(std::move(row));
  }
  sort_largest_first(rows);
  return rows;
}

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
  sort_largest_first(rows);
  return rows;
}

}  // namespace stepscope::summary_parts
