// SPDX-License-Identifier: Apache-2.0
// Summaries from hand-made cells, with totals that are their sums.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "core/compare/comparison.hpp"
#include "core/compare/line_work.hpp"
#include "core/compare/work_item.hpp"

namespace stepscope {

struct SampleCell {
  Cause cause = Cause::gpu_gemm;
  std::string phase = "forward";
  std::uint32_t line = 10;
  std::string operation = "gemm";
  std::int64_t ns = 0;
  std::uint64_t calls = 0;
  std::string file = "train.py";
  std::string function = "step";
};

inline CellRow row_of(const SampleCell& cell) {
  CellRow row;
  row.cause = cell.cause;
  row.phase = row.phase_path = cell.phase;
  row.file = cell.line == 0 ? "" : cell.file;
  row.line = cell.line;
  row.function = cell.line == 0 ? "" : cell.function;
  row.operation = cell.operation;
  row.ns_total = cell.ns;
  row.calls_total = cell.calls;
  return row;
}

inline Summary side_of_cells(const std::vector<SampleCell>& cells, std::uint64_t steps = 10) {
  Summary out;
  out.run.device = "NVIDIA H100 80GB HBM3";
  out.steps.found_by = FoundBy::profiler_step;
  PerCause<std::int64_t> sums{};
  for (const SampleCell& cell : cells) {
    out.cells.push_back(row_of(cell));
    sums[index_of(cell.cause)] += cell.ns;
    out.partition.wall_ns_total += cell.ns;
  }
  for (std::size_t i = 0; i < kCauseCount; ++i)
    if (sums[i] != 0) out.partition.parts.push_back({static_cast<Cause>(i), sums[i]});
  out.partition.steps_counted = steps;
  return out;
}

inline std::vector<compare_parts::WorkItem> items_of(const std::vector<SampleCell>& cells) {
  return compare_parts::scale(side_of_cells(cells), 1).items;
}

// The lines of a side that kept neither its counts nor its sources. The items must outlive it.
inline compare_parts::SideLines lines_of(const std::vector<compare_parts::WorkItem>& items) {
  static const std::vector<WorkCount> kNoCounts;
  static const std::vector<SourceText> kNoSources;
  return {items, kNoCounts, kNoSources};
}

template <class Row>
std::int64_t sum_of_deltas(const std::vector<Row>& rows) {
  std::int64_t sum = 0;
  for (const Row& row : rows) {
    if constexpr (requires { row.delta_ns(); }) {
      sum += row.delta_ns();
    } else {
      sum += row.delta_ns;
    }
  }
  return sum;
}

}  // namespace stepscope
