// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/findings/all_findings.hpp"

namespace stepscope {
namespace {

constexpr double kLimitedTo = 0.99;  // a limit above this share of the gain is not worth a word

// Returns what a rank spends at a line, a step, beside its waits for other ranks.
double ns_at(const FindingPlace& place, const Summary& rank) {
  std::int64_t ns = 0;
  for (const LineRow& row : rank.lines)
    if (row.file == place.file && row.line == place.line &&
        family_of(row.cause) != CauseFamily::communication)
      ns += row.ns_total;
  const std::uint64_t steps = rank.partition.steps_counted;
  return steps == 0 ? 0 : static_cast<double>(ns) / static_cast<double>(steps);
}

// Returns the part of a finding in `own` that `other` has, too: line by line what it spends there.
double part_of(const Finding& finding, const Summary& own, const Summary& other) {
  double all = 0, there = 0;
  for (const FindingPlace& place : finding.places) {
    const double own_ns = ns_at(place, own);
    if (own_ns <= 0) continue;
    all += place.caused_ns_per_step;
    there += place.caused_ns_per_step * std::min(1.0, ns_at(place, other) / own_ns);
  }
  return all > 0 ? there / all : 1;
}

// How much less another rank works than the finding's rank, and which part of the finding it has, too.
struct OtherRank {
  std::int32_t rank = -1;
  double lead_ns = 0, lead_error_ns = 0, part = 1;

  double limit(double gain_ns) const { return lead_ns + part * gain_ns; }
};

// A late rank leads the rank that works most beside it by what its coming in time gives, and each other
// rank by what that one works less, too.
double lead_over(const JobRank& other, const JobRank& own, const JobFacts& job) {
  const auto steps = static_cast<double>(job.steps_counted);
  const double less_work = static_cast<double>(own.work_ns_total - other.work_ns_total) / steps;
  if (!own.is_late) return std::max(0.0, less_work);
  std::int64_t most_work = 0;
  for (const JobRank& rank : job.ranks)
    if (rank.rank != own.rank) most_work = std::max(most_work, rank.work_ns_total);
  return static_cast<double>(own.gain_ns_total + most_work - other.work_ns_total) / steps;
}

std::vector<OtherRank> others_of(const JobFacts& job, std::span<const Summary> ranks,
                                 std::int32_t rank, const Finding& finding) {
  const auto own = std::ranges::find(job.ranks, rank, &JobRank::rank);
  const auto summary_of = [&](std::int32_t wanted) {
    return std::ranges::find_if(ranks, [&](const Summary& s) { return s.run.rank == wanted; });
  };
  const auto of_own = summary_of(rank);
  std::vector<OtherRank> out;
  if (own == job.ranks.end() || of_own == ranks.end()) return out;
  for (const JobRank& other : job.ranks) {
    const auto of_other = summary_of(other.rank);
    if (other.rank == rank || of_other == ranks.end()) continue;
    OtherRank& row = out.emplace_back();
    row.rank = other.rank;
    row.lead_ns = lead_over(other, *own, job);
    if (own->is_late) row.lead_error_ns = late_gain_error_ns(job, *own);
    row.part = part_of(finding, *of_own, *of_other);
  }
  return out;
}

}  // namespace

void limit_to_job(const Summary& job, std::span<const Summary> ranks, std::int32_t rank,
                  Finding& finding) {
  if (!finding.forecast || !finding.forecast->abstained.empty() || finding.places.empty()) return;
  const double step_ns = job.partition.wall_ns_per_step();
  const double gain = step_ns - finding.forecast->ns_per_step;
  const std::vector<OtherRank> others = others_of(*job.job, ranks, rank, finding);
  const auto next = std::ranges::min_element(
      others, {}, [gain](const OtherRank& other) { return other.limit(gain); });
  if (next == others.end() || next->limit(gain) >= kLimitedTo * gain) return;
  Forecast& forecast = *finding.forecast;
  const auto limited = [&](double ns_per_step, double error_ns) {
    const double most = step_ns - ns_per_step;
    return step_ns - std::min(most, next->limit(std::max(0.0, most)) + error_ns);
  };
  forecast.ns_per_step = limited(forecast.ns_per_step, 0);
  forecast.low_ns_per_step = limited(forecast.low_ns_per_step, next->lead_error_ns);
  forecast.high_ns_per_step =
      std::min(step_ns, limited(forecast.high_ns_per_step, -next->lead_error_ns));
  forecast.ceiling_ns_per_step = limited(forecast.ceiling_ns_per_step, next->lead_error_ns);
  forecast.assumptions.push_back(
      fmt::format("the step then waits for rank {}, which has {:.0f} % of this time at these lines",
                  next->rank, 100 * next->part));
  if (step_ns - forecast.ns_per_step >= kNoGain * step_ns) return;
  finding.no_gain = fmt::format(
      "rank {} works for as long without it, and the ranks wait for each other", next->rank);
}

}  // namespace stepscope
