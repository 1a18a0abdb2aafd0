// SPDX-License-Identifier: Apache-2.0
#include "core/summary/rows/operation_rows.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace stepscope {
namespace {

std::string key_of(const KernelRow& row, KernelGrouping by) {
  if (by == KernelGrouping::cause) return std::string(name_of(row.cause));
  return by == KernelGrouping::phase ? row.phase : row.name;
}

// Returns the time of the calls that say their bytes.
double seconds_with_bytes(const KernelRow& row) {
  return row.bytes_per_second ? static_cast<double>(row.bytes_total) / *row.bytes_per_second : 0;
}

void add(KernelRow& group, const KernelRow& row) {
  const double seconds = seconds_with_bytes(group) + seconds_with_bytes(row);
  group.calls_total += row.calls_total;
  group.ns_total += row.ns_total;
  group.bytes_total += row.bytes_total;
  if (seconds > 0) group.bytes_per_second = static_cast<double>(group.bytes_total) / seconds;
  if (group.phase != row.phase) group.phase.clear();
}

}  // namespace

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
      add(out[at->second], row);
    }
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const KernelRow& a, const KernelRow& b) { return a.ns_total > b.ns_total; });
  return out;
}

}  // namespace stepscope
