// SPDX-License-Identifier: Apache-2.0
#include "core/summary/job/lateness.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "core/summary/job/excess.hpp"
#include "core/summary/job/replay.hpp"
#include "core/summary/rows/by_time.hpp"

namespace stepscope::job {
namespace {

constexpr double kStandardErrors = 3;

using ByRank = std::vector<std::vector<double>>;  // by rank and step
using ByOwner = std::map<std::uint32_t, double>;

double sum(const std::vector<double>& values) {
  double out = 0;
  for (const double value : values) out += value;
  return out;
}

// The ledger's cells, summed by rank.
struct Sums {
  explicit Sums(std::size_t ranks, std::size_t steps)
      : cost(ranks, std::vector<double>(steps)), work(cost), with_transfers(cost), charged(ranks) {}

  ByRank cost;                   // what others waited for it, summed over them
  ByRank work;                   // what it did itself, without its time in collectives ...
  ByRank with_transfers;         // ... and with that, but for its waits
  std::vector<ByOwner> charged;  // the parts of `cost`
};

bool is_wait(Cause cause) {
  return cause == Cause::comm_late_rank || cause == Cause::comm_wait;
}

Sums sums_of(const Ledger& ledger, const Owners& owners, std::size_t ranks) {
  Sums out(ranks, ledger.steps.size());
  for (const JobCell& cell : ledger.cells) {
    const auto ns = static_cast<double>(cell.ns);
    const Cause cause = owners[cell.owner].cause;
    if (cell.rank != cell.by_rank) {
      out.cost[cell.by_rank][cell.step] += ns;
      out.charged[cell.by_rank][cell.owner] += ns;
    } else if (!is_wait(cause)) {
      out.with_transfers[cell.rank][cell.step] += ns;
      if (cause != Cause::comm_transfer) out.work[cell.rank][cell.step] += ns;
    }
  }
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

// The two ranks with the largest sums; there are two.
struct Largest {
  explicit Largest(const ByRank& values) {
    for (const std::vector<double>& of_rank : values) sums.push_back(sum(of_rank));
    for (std::size_t r = 1; r < sums.size(); ++r) {
      if (sums[r] > sums[first]) {
        second = std::exchange(first, r);
      } else if (second == first || sums[r] > sums[second]) {
        second = r;
      }
    }
  }
  std::vector<double> sums;
  std::size_t first = 0, second = 0;
};

using StepTimes = std::pair<std::vector<double>, std::vector<double>>;  // the rank's, the other's

// Returns how long both ranks worked in each step, by owner. Transfers are work where a link is judged.
std::map<std::uint32_t, StepTimes> work_of_two(const Ledger& ledger, const Owners& owners,
                                               std::size_t rank, std::size_t other, bool by_link) {
  const std::vector<double> none(ledger.steps.size());
  std::map<std::uint32_t, StepTimes> out;
  for (const JobCell& cell : ledger.cells) {
    if (cell.rank != cell.by_rank || (cell.rank != rank && cell.rank != other)) continue;
    const Cause cause = owners[cell.owner].cause;
    if (is_wait(cause) || (cause == Cause::comm_transfer && !by_link)) continue;
    auto& [own, others] = out.try_emplace(cell.owner, none, none).first->second;
    (cell.rank == rank ? own : others)[cell.step] += static_cast<double>(cell.ns);
  }
  return out;
}

std::map<std::string, StepTimes> by_phase(const std::map<std::uint32_t, StepTimes>& work,
                                          const Owners& owners) {
  std::map<std::string, StepTimes> out;
  for (const auto& [owner, times] : work) {
    const std::vector<double> none(times.first.size());
    auto& [own, others] = out.try_emplace(owners[owner].phase_path, none, none).first->second;
    for (std::size_t i = 0; i < none.size(); ++i) {
      own[i] += times.first[i];
      others[i] += times.second[i];
    }
  }
  return out;
}

// Returns, by owner, which share of its work is left to the rank if it does no more than the other.
// It does more in those phases that take it longer in each step by more than chance. Lines are not
// judged one by one: samples show a step's Python at a few of the lines that it has.
std::map<std::uint32_t, double> kept_shares(const Ledger& ledger, const Owners& owners,
                                            std::size_t rank, std::size_t other, bool by_link) {
  const auto work = work_of_two(ledger, owners, rank, other, by_link);
  const auto phases = by_phase(work, owners);
  Spent own, others;
  for (const auto& [owner, times] : work) {
    const StepTimes& phase = phases.at(owners[owner].phase_path);
    if (!is_above(phase.first, phase.second)) continue;
    own[{owner, 0}] = sum(times.first);
    others[{owner, 0}] = sum(times.second);
  }
  std::map<std::uint32_t, double> out;
  for (const Reason& reason : excess_of(own, others, owners))
    out[reason.owner] = 1 - reason.ns / own.at({reason.owner, 0});
  return out;
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

double replayed_gain(const Ledger& ledger, const std::vector<RankRecord>& ranks,
                     const LessWork& less) {
  return replayed_gain_ns(ranks, ledger, {ledger.steps.front().begin, ledger.steps.back().end},
                          less);
}

bool is_late_by_link(const ByOwner& charged, const Owners& owners) {
  double transfers = 0, rest = 0;
  for (const auto& [owner, ns] : charged)
    (owners[owner].cause == Cause::comm_transfer ? transfers : rest) += ns;
  return transfers > rest;
}

// Spreads the gain over the steps as the others' waits are.
void set_gain(double gain, const std::vector<double>& cost, Lateness& out) {
  const double share = std::max(0.0, gain) / sum(cost);
  for (const double ns : cost) {
    out.gain_by_step.push_back(std::llround(share * ns));
    out.gain_ns_total += out.gain_by_step.back();
  }
}

void set_reasons(const ByOwner& charged, Lateness& out) {
  for (const auto& [owner, ns] : charged) {
    out.reasons.push_back({owner, std::llround(ns)});
    out.cost_ns_total += out.reasons.back().ns_total;
  }
  sort_by_time(out.reasons);
}

}  // namespace

std::vector<Lateness> lateness_of(const Ledger& ledger, const std::vector<RankRecord>& records,
                                  const Owners& owners) {
  std::vector<Lateness> out(records.size());
  if (records.size() < 2) return out;
  const Sums sums = sums_of(ledger, owners, records.size());
  const Largest by_work(sums.work), by_all(sums.with_transfers);
  for (std::size_t r = 0; r < out.size(); ++r) {
    set_reasons(sums.charged[r], out[r]);
    if (out[r].reasons.empty()) continue;
    const bool by_link = is_late_by_link(sums.charged[r], owners);
    const Largest& most = by_link ? by_all : by_work;
    if (r != most.first) continue;
    const ByRank& values = by_link ? sums.with_transfers : sums.work;
    const LessWork less{.rank = static_cast<std::uint32_t>(r),
                        .kept_share = kept_shares(ledger, owners, r, most.second, by_link)};
    set_gain(replayed_gain(ledger, records, less), sums.cost[r], out[r]);
    limit_gain(std::llround(most.sums[r] - most.sums[most.second]), out[r]);
    out[r].is_late = is_above(values[r], values[most.second]);
  }
  limit_gains(ledger, records, out);
  return out;
}

}  // namespace stepscope::job
