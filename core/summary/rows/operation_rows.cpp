// SPDX-License-Identifier: Apache-2.0
#include "core/summary/rows/operation_rows.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>

#include "core/summary/parts.hpp"
#include "core/summary/rows/by_time.hpp"
#include "core/support/statistics.hpp"

namespace stepscope {

LengthSpread spread_of(const std::vector<std::int64_t>& lengths) {
  LengthSpread out;
  out.count = lengths.size();
  if (lengths.empty()) return out;
  out.sum_ns = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
  const auto [least, most] = std::minmax_element(lengths.begin(), lengths.end());
  out.min_ns = *least;
  out.max_ns = *most;
  out.p50_ns = percentile(lengths, 0.5);
  out.p99_ns = percentile(lengths, 0.99);
  return out;
}

std::vector<std::int64_t> op_lengths(const Trace& trace, const Summary& summary,
                                     std::string_view name) {
  const auto counting = summary_parts::counting_of(summary.steps, summary.counted);
  const DeviceOps& ops = trace.device_ops();
  std::vector<std::int64_t> out;
  for (DeviceOpId op = 0; op < ops.size(); ++op) {
    const bool own = trace.data().streams[ops.stream[op]].process == summary.steps.process;
    if (own && trace.text(ops.name[op]) == name && counting.covers(ops.begin[op]))
      out.push_back(ops.end[op] - ops.begin[op]);
  }
  return out;
}

LengthHistogram histogram_of(const std::vector<std::vector<std::int64_t>>& sets, std::size_t bins) {
  LengthHistogram out;
  std::int64_t least = INT64_MAX;
  std::int64_t most = 0;
  for (const auto& set : sets) {
    for (const std::int64_t length : set) {
      least = std::min(least, length);
      most = std::max(most, length);
    }
  }
  if (least > most || bins == 0) return out;
  const auto low = static_cast<double>(std::max<std::int64_t>(1, least));
  const double factor =
      std::pow((static_cast<double>(most) + 1) / low, 1 / static_cast<double>(bins));
  out.edges.push_back(least);
  for (std::size_t i = 1; i < bins; ++i)
    out.edges.push_back(
        static_cast<std::int64_t>(std::llround(low * std::pow(factor, static_cast<double>(i)))));
  out.edges.push_back(most + 1);
  for (const auto& set : sets) {
    std::vector<std::uint64_t>& counts = out.counts.emplace_back(bins, 0);
    for (const std::int64_t length : set) {
      const auto after = std::upper_bound(out.edges.begin() + 1, out.edges.end() - 1, length);
      ++counts[static_cast<std::size_t>(after - out.edges.begin()) - 1];
    }
  }
  return out;
}

namespace {

std::string key_of(const KernelRow& row, KernelGrouping by) {
  if (by == KernelGrouping::cause) return std::string(name_of(row.cause));
  return by == KernelGrouping::phase ? row.phase : row.name;
}

// Returns the time of the calls that say their bytes.
double seconds_with_bytes(const KernelRow& row) {
  return row.bytes_per_second ? static_cast<double>(row.bytes_total) / *row.bytes_per_second : 0;
}

}  // namespace

void add_kernel_row(KernelRow& group, const KernelRow& row) {
  const double seconds = seconds_with_bytes(group) + seconds_with_bytes(row);
  group.calls_total += row.calls_total;
  group.ns_total += row.ns_total;
  group.bytes_total += row.bytes_total;
  if (seconds > 0) group.bytes_per_second = static_cast<double>(group.bytes_total) / seconds;
  if (group.phase != row.phase) group.phase.clear();
}

std::vector<KernelRow> group_kernels(const std::vector<KernelRow>& rows, KernelGrouping by) {
  if (by == KernelGrouping::none) return rows;
  std::vector<KernelRow> out;
  std::map<std::string, std::size_t> places;
  for (const KernelRow& row : rows) {
    const auto [at, is_new] = places.try_emplace(key_of(row, by), out.size());
    if (is_new) {
      out.push_back(row);
      out.back().name = at->first;
    } else {
      add_kernel_row(out[at->second], row);
    }
  }
  sort_by_time(out);
  return out;
}

namespace {

bool computes_on_host(Cause cause) {
  return name_of(cause).starts_with("host.compute.");
}

}  // namespace

std::vector<HostOpRow> host_op_rows(std::span<const CellRow> cells) {
  std::map<std::pair<std::string_view, Cause>, HostOpRow> rows;
  for (const CellRow& cell : cells) {
    if (cell.device || !computes_on_host(cell.cause)) continue;
    HostOpRow& row = rows[{cell.operation, cell.cause}];
    row.ns_total += cell.ns_total;
    row.calls_total += cell.calls_total;
  }
  std::vector<HostOpRow> out;
  for (auto& [key, row] : rows) {
    row.name = key.first;
    row.cause = key.second;
    out.push_back(std::move(row));
  }
  sort_by_time(out);
  return out;
}

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f');
}

std::string without_numbers(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (!is_digit(c)) {
      out += c;
    } else if (out.empty() || out.back() != '#') {
      out += '#';
    }
  }
  return out;
}

// "<built-in method astype of numpy.ndarray object at 0x7fdfbd6c1a10>": the address is another in
// each run.
void erase_addresses(std::string& name) {
  constexpr std::string_view kMark = " at 0x";
  for (auto at = name.find(kMark); at != std::string::npos; at = name.find(kMark, at)) {
    auto end = at + kMark.size();
    while (end < name.size() && is_hex(name[end])) ++end;
    name.erase(at, end - at);
  }
}

// "train.py(147): load": the line is the row's own, and moves when the file is edited above it.
void erase_line(std::string& name) {
  const auto close = name.find("): ");
  if (close == std::string::npos) return;
  auto open = close;
  while (open > 0 && is_digit(name[open - 1])) --open;
  if (open == 0 || open == close || name[open - 1] != '(') return;
  name.erase(open - 1, close + 1 - (open - 1));
}

}  // namespace

std::string operation_name(std::string_view name, bool is_annotation) {
  if (is_annotation) return without_numbers(name);
  std::string out(name);
  erase_addresses(out);
  erase_line(out);
  return out;
}

}  // namespace stepscope
