// SPDX-License-Identifier: Apache-2.0
#include "core/summary/job/lateness.hpp"
#include "core/summary/rows/by_time.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace stepscope::job {
namespace {

constexpr double kStandardErrors = 3;

// Computes what each rank costs the others in each step, and the least that it costs one of them.
struct Costs {
  std::vector<std::vector<double>> by_rank;  // rank, step
  std::vector<std::vector<std::int64_t>> least;
};

// Cells are sorted by step, rank and by_rank, so that what one rank waited for another stands together.
Costs costs_of(const Ledger& ledger, std::size_t ranks) {
  const std::size_t steps = ledger.steps.size();
  Costs out{std::vector(ranks, std::vector<double>(steps)),
            std::vector(ranks, std::vector<std::int64_t>(steps))};
  std::vector<std::size_t> waiting(ranks);
  auto cell = ledger.cells.begin();
  for (std::uint32_t step = 0; step < steps; ++step) {
    std::fill(waiting.begin(), waiting.end(), 0);
    while (cell != ledger.cells.end() && cell->step == step) {
      const std::uint32_t rank = cell->rank, late = cell->by_rank;
      std::int64_t ns = 0;
      for (; cell != ledger.cells.end() && cell->step == step && cell->rank == rank &&
             cell->by_rank == late;
           ++cell)
        ns += cell->ns;
      if (rank == late) continue;
      out.by_rank[late][step] += static_cast<double>(ns);
      std::int64_t& least = out.least[late][step];
      least = waiting[late]++ == 0 ? ns : std::min(least, ns);
    }
    for (std::size_t late = 0; late < ranks; ++late)
      if (waiting[late] + 1 < ranks) out.least[late][step] = 0;  // somebody did not wait
  }
  return out;
}

double sum(const std::vector<double>& values) {
  double out = 0;
  for (const double value : values) out += value;
  return out;
}

bool is_above(const std::vector<double>& a, const std::vector<double>& b) {
  const auto n = static_cast<double>(a.size());
  if (n < 2) return false;
  const double mean = (sum(a) - sum(b)) / n;
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) squares += std::pow(a[i] - b[i] - mean, 2);
  return mean > kStandardErrors * std::sqrt(squares / (n - 1) / n);
}

// `sums`: those of costs.by_rank.
bool is_latest(const Costs& costs, const std::vector<double>& sums, std::size_t late) {
  std::size_t next = late == 0 ? 1 : 0;
  for (std::size_t r = 0; r < sums.size(); ++r)
    if (r != late && sums[r] > sums[next]) next = r;
  return next < sums.size() && is_above(costs.by_rank[late], costs.by_rank[next]);
}

// How long a rank's host only waited in the job's steps; the largest number where that was
// not recorded.
std::int64_t free_time_of(const Ledger& ledger, const RankRecord& rank, const HostClock& clock) {
  if (!rank.host_waits) return std::numeric_limits<std::int64_t>::max();
  std::int64_t out = 0;
  auto step = ledger.steps.begin();
  for (const Interval& wait : *rank.host_waits) {
    const Interval time{clock.to_first(wait.begin), clock.to_first(wait.end)};
    while (step != ledger.steps.end() && step->end <= time.begin) ++step;
    for (auto at = step; at != ledger.steps.end() && at->begin < time.end; ++at)
      out += intersect(*at, time).length();
  }
  return out;
}

// Both the gain and its parts, in proportion.
void limit_gain(std::int64_t limit, Lateness& late) {
  if (late.gain_ns_total <= limit) return;
  const double share = static_cast<double>(limit) / static_cast<double>(late.gain_ns_total);
  for (std::int64_t& ns : late.gain_by_step) ns = std::llround(share * static_cast<double>(ns));
  late.gain_ns_total = limit;
}

void limit_gains(const Ledger& ledger, const std::vector<RankRecord>& ranks,
                 std::vector<Lateness>& out) {
  std::vector<std::int64_t> free;
  for (std::uint32_t r = 0; r < ranks.size(); ++r)
    free.push_back(free_time_of(ledger, ranks[r], ledger.matches.clock(r)));
  for (std::size_t late = 0; late < ranks.size(); ++late) {
    std::int64_t limit = std::numeric_limits<std::int64_t>::max();
    for (std::size_t r = 0; r < ranks.size(); ++r)
      if (r != late) limit = std::min(limit, free[r]);
    limit_gain(limit, out[late]);
  }
}

}  // namespace

std::vector<Lateness> lateness_of(const Ledger& ledger, const std::vector<RankRecord>& records) {
  const std::size_t ranks = records.size();
  const Costs costs = costs_of(ledger, ranks);
  std::vector<double> sums;
  for (const std::vector<double>& of_rank : costs.by_rank) sums.push_back(sum(of_rank));
  std::vector<Lateness> out(ranks);
  std::vector<std::map<std::uint32_t, std::int64_t>> reasons(ranks);
  for (const JobCell& cell : ledger.cells) {
    if (cell.rank == cell.by_rank) continue;
    out[cell.by_rank].cost_ns_total += cell.ns;
    reasons[cell.by_rank][cell.owner] += cell.ns;
  }
  for (std::size_t r = 0; r < ranks; ++r) {
    out[r].gain_by_step = costs.least[r];
    for (const std::int64_t ns : costs.least[r]) out[r].gain_ns_total += ns;
    for (const auto& [owner, ns] : reasons[r]) out[r].reasons.push_back({owner, ns});
    sort_by_time(out[r].reasons);
    out[r].is_late = is_latest(costs, sums, r);
  }
  limit_gains(ledger, records, out);
  return out;
}

}  // namespace stepscope::job
