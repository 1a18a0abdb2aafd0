// SPDX-License-Identifier: Apache-2.0
#include "core/summary/job/scaled_rows.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include "core/support/statistics.hpp"

namespace stepscope::job {
namespace {

struct Scale {
  double factor;

  template <class... Number>
  void operator()(Number&... numbers) const {
    ((numbers = static_cast<Number>(std::llround(factor * static_cast<double>(numbers)))), ...);
  }
};

void scale_count(const Scale& scale, WorkCount& count) {
  scale(count.total);
  std::vector<double> weights;
  for (const CountPlace& place : count.places) weights.push_back(static_cast<double>(place.total));
  if (weights.empty()) return;
  const auto parts = largest_remainder(static_cast<std::int64_t>(count.total), weights);
  for (std::size_t i = 0; i < parts.size(); ++i)
    count.places[i].total = static_cast<std::uint64_t>(parts[i]);
}

}  // namespace

Summary scaled_rows(Summary rank, std::uint64_t steps) {
  const std::uint64_t own = rank.partition.steps_counted;
  if (own == steps || own == 0) return rank;
  const Scale scale{static_cast<double>(steps) / static_cast<double>(own)};
  for (CellRow& row : rank.cells) scale(row.calls_total);
  for (LineRow& row : rank.lines) scale(row.calls_total);
  for (PhaseRow& row : rank.phases)
    scale(row.gpu_busy_ns_total, row.bytes_total, row.calls_total, row.steps_in);
  for (WorkCount& count : rank.counts) scale_count(scale, count);
  for (KernelRow& row : rank.kernels) scale(row.calls_total, row.ns_total, row.bytes_total);
  for (TransferRow& row : rank.transfers)
    scale(row.calls_total, row.bytes_total, row.ns_total, row.late_ns_total,
          row.latest_rank_ns_total);
  return rank;
}

}  // namespace stepscope::job
