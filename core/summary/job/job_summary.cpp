// SPDX-License-Identifier: Apache-2.0
#include "core/summary/job/job_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "core/summary/job/job_rows.hpp"
#include "core/summary/job/lateness.hpp"
#include "core/summary/job/scaled_rows.hpp"
#include "core/summary/job/slow_links.hpp"
#include "core/summary/parts.hpp"
#include "core/summary/rows/by_time.hpp"
#include "core/support/duration.hpp"
#include "core/support/statistics.hpp"

namespace stepscope::job {
namespace {

// Without a device a collective is the host's own work (Gloo).
//
// Time in a collective for a rank of which nobody knows why it is late is neither the device's work
// nor surely the host's, so the verdict takes it as unknown.
PartitionSummary partition_of(const std::vector<Summary>& summaries, const Ledger& ledger,
                              const std::vector<CellRow>& cells) {
  const PartitionSummary& first = summaries.front().partition;
  PartitionSummary out;
  std::vector<std::int64_t> walls;
  for (const Interval& step : ledger.steps) walls.push_back(step.length());
  out.steps_counted = walls.size() * summaries.size();
  out.wall_ns_total = std::accumulate(walls.begin(), walls.end(), std::int64_t{0}) *
                      static_cast<std::int64_t>(summaries.size());
  out.p50_ns = percentile(walls, 0.5);
  out.p90_ns = percentile(std::move(walls), 0.9);
  PerCause<std::int64_t> sums{};
  for (const CellRow& cell : cells) sums[index_of(cell.cause)] += cell.ns_total;
  const bool device_works = std::any_of(summaries.begin(), summaries.end(), [](const Summary& s) {
    return s.partition.device_busy_ns_total > 0;
  });
  for (std::size_t i = 0; i < kCauseCount; ++i) {
    const auto cause = static_cast<Cause>(i);
    if (sums[i] == 0) continue;
    out.parts.push_back({cause, sums[i]});
    if (is_device_busy(cause) && cause != Cause::comm_late_rank && device_works)
      out.device_busy_ns_total += sums[i];
    if (waits_for_host(cause) || cause == Cause::comm_late_rank) out.host_wait_ns_total += sums[i];
  }
  sort_by_time(out.parts);
  out.queued_share = first.queued_share;
  PartitionSummary judged = out;
  for (PartSum& part : judged.parts)
    if (part.cause == Cause::comm_late_rank) part.cause = Cause::unknown;
  const bool inflated = std::any_of(summaries.begin(), summaries.end(),
                                    [](const Summary& s) { return s.partition.inflated; });
  summary_parts::judge_bound(judged, inflated, std::nullopt);
  out.inflated = judged.inflated;
  out.bound = judged.bound;
  out.why_bound = judged.why_bound;
  return out;
}

// What the steps of the job consist of, on the ranks' mean; others keep what the first rank saw.
void divide_steps(const Owners& owners, const Ledger& ledger, std::size_t ranks, Summary& out) {
  std::vector<std::vector<double>> sums(ledger.steps.size(), std::vector<double>(kCauseCount));
  for (const JobCell& cell : ledger.cells)
    sums[cell.step][index_of(owners[cell.owner].cause)] +=
        static_cast<double>(cell.ns) / static_cast<double>(ranks);
  auto step = ledger.steps.begin();
  for (std::size_t row = 0; row < out.step_parts.size() && step != ledger.steps.end(); ++row) {
    if (out.steps.list[row].window.begin != step->begin) continue;
    const auto parts = largest_remainder(
        step->length(), sums[static_cast<std::size_t>(step - ledger.steps.begin())]);
    std::copy(parts.begin(), parts.end(), out.step_parts[row].begin());
    ++step;
  }
}

void add_shares(const Ledger& ledger, const Owners& owners, std::vector<JobRank>& ranks) {
  for (const JobCell& cell : ledger.cells) {
    JobRank& rank = ranks[cell.rank];
    const Cause cause = owners[cell.owner].cause;
    if (cell.by_rank != cell.rank || cause == Cause::comm_late_rank) {
      rank.waits_ns_total += cell.ns;
      if (cause == Cause::comm_late_rank) rank.undecided_ns_total += cell.ns;
    } else {
      (cause == Cause::comm_transfer ? rank.transfer_ns_total : rank.work_ns_total) += cell.ns;
    }
  }
}

std::int64_t error_of_mean(const std::vector<std::int64_t>& values) {
  const auto n = static_cast<double>(values.size());
  if (n < 2) return 0;
  double sum = 0, squares = 0;
  for (const std::int64_t v : values) sum += static_cast<double>(v);
  for (const std::int64_t v : values) squares += std::pow(static_cast<double>(v) - sum / n, 2);
  return std::llround(1.645 * std::sqrt(squares / (n - 1) / n));
}

std::vector<JobReason> reasons_of(const Lateness& late, const Owners& owners) {
  using Key = std::tuple<Cause, std::string, std::string, std::uint32_t>;
  std::map<Key, JobReason> table;
  for (const LateReason& reason : late.reasons) {
    const Owner& o = owners[reason.owner];
    JobReason& row = table[{o.cause, o.phase_path, o.file, o.line}];
    row = {o.cause, o.phase_path, o.file, o.line, o.function, row.ns_total + reason.ns_total};
  }
  std::vector<JobReason> out;
  for (auto& [key, row] : table) out.push_back(std::move(row));
  sort_by_time(out);
  return out;
}

JobFacts facts_of(const std::vector<RankRecord>& ranks, const std::vector<Summary>& summaries,
                  const Owners& owners, const Ledger& ledger) {
  JobFacts out;
  out.world_size = summaries.front().run.world_size;
  out.steps_counted = ledger.steps.size();
  for (const Interval& step : ledger.steps) out.wall_ns_total += step.length();
  out.collectives = ledger.matches.collectives.size();
  const std::vector<Lateness> late = lateness_of(ledger, ranks, owners);
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    JobRank row{.rank = ranks[r].rank, .host = ranks[r].host};
    row.steps_counted = summaries[r].partition.steps_counted;
    row.wall_ns_total = summaries[r].partition.wall_ns_total;
    row.costs_ns_total = late[r].cost_ns_total;
    row.times_last = ledger.times_last[r];
    row.is_late = late[r].is_late && late[r].gain_ns_total * 100 >= out.wall_ns_total;
    row.gain_ns_total = late[r].gain_ns_total;
    row.gain_error_ns = error_of_mean(late[r].gain_by_step);
    row.reasons = reasons_of(late[r], owners);
    out.ranks.push_back(std::move(row));
  }
  add_shares(ledger, owners, out.ranks);
  for (const SlowLink& link : find_slow_links(ranks, ledger)) {
    if (link.cost_ns_total * 100 < out.wall_ns_total) continue;
    JobLink row{{}, link.operation, link.times_as_long, link.cost_ns_total, link.collectives};
    for (const std::uint32_t rank : link.ranks) row.ranks.push_back(ranks[rank].rank);
    out.slow_links.push_back(std::move(row));
  }
  std::vector<std::uint32_t> order(ranks.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return out.ranks[a].work_ns_total > out.ranks[b].work_ns_total;
  });
  out.slowest = order.front();
  out.median = order[order.size() / 2];
  for (std::size_t c = 1; c < ledger.matches.clocks.size(); ++c) {
    const HostClock& clock = ledger.matches.clocks[c];
    if (clock.known)
      out.clocks.push_back({clock.host, std::llround(clock.offset_ns), clock.drift, clock.error_ns,
                            clock.collectives});
  }
  if (ledger.part_of)
    out.notes.push_back(fmt::format(
        "no rank recorded a step of the others whole: the job's step is the {} of rank {}'s {} "
        "that "
        "all of them recorded",
        format_duration(static_cast<double>(ledger.steps.front().length())), ranks.front().rank,
        format_duration(static_cast<double>(ledger.part_of->length()))));
  out.notes.insert(out.notes.end(), ledger.matches.clock_notes.begin(),
                   ledger.matches.clock_notes.end());
  if (!ledger.matches.why_none.empty())
    out.notes.push_back("who waited for whom is not known: " + ledger.matches.why_none);
  return out;
}

void merge_trust(const std::vector<Summary>& summaries, Summary& out) {
  Trust& trust = out.trust;
  std::int64_t unknown = 0;
  for (const PartSum& part : out.partition.parts)
    if (is_unexplained(part.cause)) unknown += part.ns_total;
  trust.unknown_share = static_cast<double>(unknown) /
                        static_cast<double>(std::max<std::int64_t>(1, out.partition.wall_ns_total));
  trust.notes.clear();
  trust.over_budget.clear();
  for (std::size_t r = 0; r < summaries.size(); ++r) {
    const Trust& own = summaries[r].trust;
    if (r > 0) {
      trust.dropped += own.dropped;
      trust.lost_chunks += own.lost_chunks;
      trust.zero_timestamps += own.zero_timestamps;
    }
    for (const std::string& text : own.over_budget)
      trust.over_budget.push_back(fmt::format("rank {}: {}", summaries[r].run.rank, text));
    if (r > 0)
      for (const std::string& text : own.broken_invariants)
        trust.broken_invariants.push_back(fmt::format("rank {}: {}", summaries[r].run.rank, text));
    for (const std::string& note : own.notes)
      if (std::find(trust.notes.begin(), trust.notes.end(), note) == trust.notes.end())
        trust.notes.push_back(note);
  }
}

bool all_count(std::uint64_t steps, const std::vector<Summary>& summaries) {
  return std::ranges::all_of(
      summaries, [steps](const Summary& rank) { return rank.partition.steps_counted == steps; });
}

// `summaries` are of as many steps as the ledger's, each.
void add_tables(const Owners& owners, const Ledger& ledger, const std::vector<Summary>& summaries,
                Summary& out) {
  out.cells = cells_of(owners, ledger, summaries);
  out.lines = lines_of(out.cells, summaries);
  out.phases = phases_of(owners, ledger, out.cells, summaries);
  out.counts = counts_of(summaries);
  out.kernels = kernels_of(summaries);
  out.transfers = transfers_of(summaries);
}

void add_tables_over_job_steps(const Owners& owners, const Ledger& ledger,
                               const std::vector<Summary>& summaries, Summary& out) {
  const std::uint64_t steps = ledger.steps.size();
  if (all_count(steps, summaries)) return add_tables(owners, ledger, summaries, out);
  std::vector<Summary> scaled;
  for (const Summary& rank : summaries) scaled.push_back(scaled_rows(rank, steps));
  add_tables(owners, ledger, scaled, out);
}

}  // namespace

Summary summarize_job(const std::vector<RankRecord>& ranks, const std::vector<Summary>& summaries,
                      const Owners& owners, const Ledger& ledger) {
  Summary out = summaries.front();
  out.findings.reset();
  out.devices.clear();
  out.job = facts_of(ranks, summaries, owners, ledger);
  out.run.rank = -1;
  out.run.processes = summaries.size();
  add_tables_over_job_steps(owners, ledger, summaries, out);
  out.partition = partition_of(summaries, ledger, out.cells);
  merge_trust(summaries, out);
  for (Step& step : out.steps.list)
    if (ledger.part_of && step.window == *ledger.part_of) step.window = ledger.steps.front();
  divide_steps(owners, ledger, summaries.size(), out);
  std::set<Interval, decltype([](const Interval& a, const Interval& b) {
             return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
           })>
      counted(ledger.steps.begin(), ledger.steps.end());
  std::erase_if(out.counted,
                [&](std::uint32_t row) { return !counted.contains(out.steps.list[row].window); });
  std::erase_if(out.steps.notes,
                [](const std::string& note) { return note.starts_with("steps are those of "); });
  out.steps.notes.push_back(fmt::format("steps are those of rank {}, for all {} ranks alike",
                                        ranks.front().rank, ranks.size()));
  return out;
}

}  // namespace stepscope::job
