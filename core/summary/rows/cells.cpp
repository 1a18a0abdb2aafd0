// SPDX-License-Identifier: Apache-2.0
// The one exact table, at its finest: a row for each (cause, phase, line, direction, operation),
// summed over the counted steps. Every other table of times is a sum over it, and a diff is made of
// two of them.
#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/summary/parts.hpp"
#include "core/summary/rows/operation_rows.hpp"

namespace stepscope::summary_parts {
namespace {

// The one whose name is the operation's: see Operations::of.
std::uint64_t named_event(const Segment& s) {
  return s.device_evidence != kNone ? kDeviceBit | s.device_evidence
         : s.host_evidence != kNone ? s.host_evidence
                                    : kNoEvent;
}

// Names of operations as numbers; a name is looked at once.
class Operations {
 public:
  explicit Operations(const Trace& trace) : trace_(trace) { names_.emplace_back(); }

  std::uint32_t of(const Segment& s) {
    const HostRanges& ranges = trace_.host_ranges();
    if (s.device_evidence != kNone && s.device_evidence < trace_.device_ops().size())
      return number(trace_.device_ops().name[s.device_evidence], false);
    if (s.host_evidence != kNone && s.host_evidence < ranges.size())
      return number(ranges.name[s.host_evidence], is_annotation(ranges.kind[s.host_evidence]));
    return 0;
  }
  const std::string& name(std::uint32_t number) const { return names_[number]; }

 private:
  std::uint32_t number(StringId id, bool annotation) {
    const auto [at, is_new] = by_string_.try_emplace({id, annotation}, 0);
    if (is_new) at->second = by_name(operation_name(trace_.text(id), annotation));
    return at->second;
  }
  std::uint32_t by_name(std::string name) {
    const auto [at, is_new] =
        by_name_.try_emplace(std::move(name), static_cast<std::uint32_t>(names_.size()));
    if (is_new) names_.push_back(at->first);
    return at->second;
  }

  const Trace& trace_;
  std::vector<std::string> names_;
  std::map<std::pair<StringId, bool>, std::uint32_t> by_string_;
  std::unordered_map<std::string, std::uint32_t> by_name_;
};

struct Key {
  Cause cause = Cause::unknown;
  PhaseId phase = 0;
  SiteId site = kNone;
  Direction direction = Direction::none;
  std::uint32_t operation = 0;
  friend bool operator==(const Key&, const Key&) = default;
};

struct KeyHash {
  std::size_t operator()(const Key& k) const {
    const std::uint64_t a = (std::uint64_t{k.site} << 32U) | k.operation;
    const std::uint64_t b = (std::uint64_t{k.phase} << 16U) |
                            (static_cast<std::uint64_t>(k.direction) << 8U) |
                            static_cast<std::uint64_t>(index_of(k.cause));
    return static_cast<std::size_t>((a * 0x9e3779b97f4a7c15ULL) ^
                                    (b * 0xc2b2ae3d27d4eb4fULL + (a >> 29U)));
  }
};

struct Sum {
  std::int64_t ns = 0;
  std::uint64_t calls = 0;
  std::uint64_t last_event = kNoEvent;

  // An event's time may be cut into several segments: it is one call.
  void add(std::int64_t length, std::uint64_t event) {
    ns += length;
    if (event != kNoEvent && event != last_event) calls += 1;
    last_event = event;
  }
};

using Sums = std::unordered_map<Key, Sum, KeyHash>;

Sums sum_segments(const std::vector<Segment>& segments, const Counting& counting,
                  Operations& operations) {
  Sums sums;
  CountedTime counted(counting);
  for (const Segment& s : segments) {
    const std::int64_t ns = counted.of(s.time);
    if (ns > 0)
      sums[{s.cause, s.phase, s.site, s.direction, operations.of(s)}].add(ns, named_event(s));
  }
  return sums;
}

// Sites that differ only in their function are one line; of its functions the first by name is
// kept.
using RowKey =
    std::tuple<Cause, PhaseId, std::string_view, std::uint32_t, Direction, std::uint32_t>;

void append_rows(const Trace& trace, const std::vector<Phase>& phases,
                 const std::vector<std::string>& paths, const Sums& sums,
                 const Operations& operations, std::optional<std::uint32_t> device,
                 std::vector<CellRow>& rows) {
  std::map<RowKey, CellRow> table;
  for (const auto& [key, sum] : sums) {
    const Site site = key.site == kNone ? Site{} : trace.data().sites[key.site];
    CellRow& row = table[{key.cause, key.phase, trace.text(site.file), site.line, key.direction,
                          key.operation}];
    const std::string_view function = trace.text(site.function);
    if (row.calls_total == 0 && row.ns_total == 0) {
      row.cause = key.cause;
      row.phase = phase_name(phases, key.phase);
      row.phase_path = paths[key.phase];
      row.file = trace.text(site.file);
      row.line = site.line;
      row.direction = key.direction;
      row.function = function;
      row.operation = operations.name(key.operation);
      row.device = device;
    }
    if (function < row.function) row.function = function;
    row.ns_total += sum.ns;
    row.calls_total += sum.calls;
  }
  for (auto& [key, row] : table) rows.push_back(std::move(row));
}

}  // namespace

std::vector<CellRow> cell_rows(const Trace& trace, const Attribution& attribution,
                               const Counting& counting) {
  const std::vector<std::string> paths = phase_paths(attribution.phases);
  Operations operations(trace);
  std::vector<CellRow> rows;
  const auto add_all = [&](const Partition& partition, std::optional<std::uint32_t> device) {
    append_rows(trace, attribution.phases, paths,
                sum_segments(partition.segments, counting, operations), operations, device, rows);
  };
  add_all(attribution.process, std::nullopt);
  for (const Partition& partition : attribution.devices) add_all(partition, partition.device);
  return rows;
}

}  // namespace stepscope::summary_parts
