// SPDX-License-Identifier: Apache-2.0
#include "core/summary/ranks.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "core/summary/parts.hpp"
#include "core/support/statistics.hpp"

namespace stepscope {
namespace {

void add_steps(const Trace& trace, const std::string& marker_regex, RankRow& row) {
  const auto steps = find_steps(trace, {.marker_regex = marker_regex, .rank = row.rank});
  if (!steps || steps->found_by == FoundBy::whole_trace) return;
  std::vector<std::int64_t> walls;
  for (const std::uint32_t step : summary_parts::choose_steps(*steps).rows)
    walls.push_back(steps->list[step].wall_ns());
  row.steps_counted = walls.size();
  row.wall_ns_total = std::accumulate(walls.begin(), walls.end(), std::int64_t{0});
  row.p50_ns = percentile(walls, 0.5);
  row.p90_ns = percentile(walls, 0.9);
}

void add_waits(const Trace& trace, Ranks& ranks) {
  const LastEntries entries = last_entries(trace);
  ranks.collectives_known = !entries.empty();
  std::map<std::int32_t, RankRow*> by_rank;
  std::map<ProcessId, RankRow*> by_process;
  for (RankRow& row : ranks.rows) {
    by_rank[row.rank] = &row;
    by_process[row.process] = &row;
  }
  const DeviceOps& ops = trace.device_ops();
  for (const auto& [op, last] : entries) {
    RankRow& own = *by_process.at(trace.data().streams[ops.stream[op]].process);
    RankRow& late = *by_rank.at(last.rank);
    if (&own == &late) ++late.collectives_last;
    const std::int64_t waited = std::min(ops.end[op], last.time) - ops.begin[op];
    if (waited <= 0 || &own == &late) continue;
    own.waits_ns += waited;
    late.waited_for_ns += waited;
  }
}

void choose_slowest_and_median(Ranks& ranks) {
  std::vector<std::uint32_t> order(ranks.rows.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return ranks.rows[a].ns_per_step() > ranks.rows[b].ns_per_step();
  });
  ranks.slowest = order.front();
  ranks.median = order[order.size() / 2];
}

}  // namespace

Ranks compare_ranks(const Trace& trace, const std::string& marker_regex) {
  Ranks out;
  const std::vector<Process>& processes = trace.data().processes;
  for (ProcessId process = 0; process < processes.size(); ++process) {
    const std::int32_t rank = processes[process].rank;
    const bool known = std::any_of(out.rows.begin(), out.rows.end(),
                                   [&](const RankRow& row) { return row.rank == rank; });
    if (rank >= 0 && !known) out.rows.push_back({.rank = rank, .process = process});
  }
  if (out.rows.size() < 2) return {};
  std::sort(out.rows.begin(), out.rows.end(),
            [](const RankRow& a, const RankRow& b) { return a.rank < b.rank; });
  for (RankRow& row : out.rows) add_steps(trace, marker_regex, row);
  add_waits(trace, out);
  choose_slowest_and_median(out);
  return out;
}

}  // namespace stepscope
