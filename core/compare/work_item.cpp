// SPDX-License-Identifier: Apache-2.0
#include "core/compare/work_item.hpp"

#include <cmath>

#include "core/support/statistics.hpp"

namespace stepscope::compare_parts {

ScaledSide scale(const Summary& summary, double factor) {
  ScaledSide out;
  std::vector<double> weights;
  for (const CellRow& cell : summary.cells) {
    if (cell.device) continue;
    out.items.push_back({cell.cause, cell.phase_path, cell.file, cell.line, cell.function,
                         cell.operation, cell.ns_total,
                         static_cast<double>(cell.calls_total) * factor, cell.direction});
    weights.push_back(static_cast<double>(cell.ns_total));
  }
  out.wall_ns = summary.partition.wall_ns_total;
  if (factor == 1 || out.items.empty()) return out;
  out.wall_ns = std::llround(static_cast<double>(out.wall_ns) * factor);
  const std::vector<std::int64_t> shares = largest_remainder(out.wall_ns, weights);
  for (std::size_t i = 0; i < out.items.size(); ++i) out.items[i].ns = shares[i];
  return out;
}

bool is_idle_cause(Cause cause) {
  return !is_device_busy(cause) && !is_host_compute(cause);
}

}  // namespace stepscope::compare_parts
