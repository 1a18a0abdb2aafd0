// SPDX-License-Identifier: Apache-2.0
// The partition's sums: integers over the counted steps, so that parts and wall agree to the
// nanosecond.

#include "core/summary/parts.hpp"
#include "core/summary/rows/by_time.hpp"
#include "core/support/statistics.hpp"

namespace stepscope::summary_parts {
namespace {

void sum_walls(const Steps& steps, const Counting& counting, PartitionSummary& out) {
  std::vector<std::int64_t> walls;
  for (const std::uint32_t row : counting.rows) walls.push_back(steps.list[row].wall_ns());
  for (const std::int64_t wall : walls) out.wall_ns_total += wall;
  out.steps_counted = walls.size();
  out.p50_ns = percentile(walls, 0.5);
  out.p90_ns = percentile(std::move(walls), 0.9);
}

std::vector<PartSum> largest_first(const PerCause<std::int64_t>& sums) {
  std::vector<PartSum> parts;
  for (std::size_t i = 0; i < kCauseCount; ++i) {
    if (sums[i] != 0) parts.push_back({static_cast<Cause>(i), sums[i]});
  }
  sort_by_time(parts);
  return parts;
}

std::int64_t busy_inside(const IntervalSet& busy, const IntervalSet& windows) {
  std::int64_t sum = 0;
  for (const Interval& window : windows) sum += total_length(clip(busy, window));
  return sum;
}

}  // namespace

PartitionSummary sum_partition(const Partition& partition, const Steps& steps,
                               const Counting& counting) {
  PartitionSummary out;
  if (partition.device != Partition::kWholeProcess) out.device = partition.device;
  sum_walls(steps, counting, out);
  PerCause<std::int64_t> sums{};
  for (const Cell& cell : partition.cells) {
    if (!counting.counts[cell.step]) continue;
    sums[index_of(cell.cause)] += cell.ns;
    if (waits_for_host(cell.cause)) out.host_wait_ns_total += cell.ns;
  }
  out.parts = largest_first(sums);
  out.device_busy_ns_total = busy_inside(partition.busy, counting.windows);
  const std::int64_t busy = total_length(partition.busy);
  if (busy > 0) {
    out.queued_share = static_cast<double>(partition.queued_busy_ns) / static_cast<double>(busy);
  }
  return out;
}

}  // namespace stepscope::summary_parts
