// SPDX-License-Identifier: Apache-2.0
// The ranks of a job beside each other, with what the late ones were late for.

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/report/tables.hpp"
#include "core/support/duration.hpp"
#include "core/support/short_file.hpp"

namespace stepscope::report {
namespace {

constexpr std::size_t kMostReasons = 3;
// Ranks of a large job that are listed: the latest and the first ones.
constexpr std::size_t kMostRanks = 16;

Words note_of(const JobFacts& job, std::size_t row) {
  if (job.ranks[row].is_late)
    return {fmt::format("late: {}", name_of(late_by(job.ranks[row]))), Tone::bad};
  if (job.collectives > 0) return {};
  return {row == job.slowest ? "slowest" : row == job.median ? "median" : ""};
}

std::string place_of(const JobReason& reason) {
  const std::string name = short_file(reason.file);
  if (!name.empty()) return fmt::format("{}:{} ({})", name, reason.line, name_of(reason.cause));
  return fmt::format("{} in {}", name_of(reason.cause),
                     reason.phase_path.empty() ? "no phase" : reason.phase_path);
}

// Returns the rows in the order of what they cost, for jobs of more ranks than a table should have.
std::vector<std::size_t> shown_rows(const JobFacts& job) {
  std::vector<std::size_t> rows(job.ranks.size());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i;
  if (rows.size() <= kMostRanks) return rows;
  std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
    return job.ranks[a].costs_ns_total > job.ranks[b].costs_ns_total;
  });
  rows.resize(kMostRanks);
  return rows;
}

std::string reasons_text(const JobFacts& job, const JobRank& rank) {
  const auto others = static_cast<double>(job.ranks.size() - 1);
  const auto steps = static_cast<double>(job.steps_counted);
  std::string out;
  for (std::size_t i = 0; i < std::min(kMostReasons, rank.reasons.size()); ++i) {
    const JobReason& reason = rank.reasons[i];
    out += fmt::format("{}{} a step for {}", i == 0 ? "" : ", ",
                       format_duration(static_cast<double>(reason.ns_total) / steps / others),
                       place_of(reason));
  }
  return out;
}

std::string job_title(const JobFacts& job) {
  std::set<std::string> hosts;
  for (const JobRank& rank : job.ranks)
    if (!rank.host.empty()) hosts.insert(rank.host);
  const std::string of = job.world_size > static_cast<std::int32_t>(job.ranks.size())
                             ? fmt::format(" of {}", job.world_size)
                             : "";
  if (hosts.empty()) return fmt::format("{}{} ranks", job.ranks.size(), of);
  return fmt::format("{}{} ranks on {} host{}", job.ranks.size(), of, hosts.size(),
                     hosts.size() == 1 ? "" : "s");
}

// More hosts than these have one line together.
constexpr std::size_t kMostClocks = 4;

void add_clocks(const std::vector<JobClock>& clocks, std::vector<std::string>& out) {
  if (clocks.size() > kMostClocks) {
    const auto least_known = std::max_element(
        clocks.begin(), clocks.end(),
        [](const JobClock& a, const JobClock& b) { return a.error_ns < b.error_ns; });
    out.push_back(
        fmt::format("{} clocks are known by the first one, give or take {} ({}); nobody "
                    "is blamed for less",
                    clocks.size(), format_duration(static_cast<double>(least_known->error_ns)),
                    least_known->host));
    return;
  }
  for (const JobClock& clock : clocks)
    out.push_back(fmt::format(
        "the clock of {} is {} {} the first one, give or take {} (by {} collectives); nobody is "
        "blamed for less",
        clock.host, format_duration(std::abs(static_cast<double>(clock.offset_ns))),
        clock.offset_ns < 0 ? "behind" : "ahead of",
        format_duration(static_cast<double>(clock.error_ns)), clock.collectives));
}

std::string slow_link_text(const JobFacts& job, const JobLink& link) {
  return fmt::format(
      "{} is slow: {} takes {:.1f} times as long there as elsewhere, once all ranks have entered; "
      "{} "
      "a step",
      name_of(link), link.operation, link.times_as_long,
      format_duration(static_cast<double>(link.cost_ns_total) /
                      static_cast<double>(job.steps_counted)));
}

// Ties the columns to the causes of one rank's report.
std::string words_of_one_rank(const StepScale& scale) {
  if (!scale.has_device) return "in one rank's report (--rank N) transfer and waits are comm.wait";
  return "in one rank's report (--rank N) transfer is comm.transfer, and waits are comm.late_rank, "
         "or in "
         "comm.transfer, too, where it sees no other rank";
}

std::vector<std::string> job_texts(const StepScale& scale) {
  const JobFacts& job = *scale.summary.job;
  std::vector<std::string> out;
  if (job.ranks.size() > kMostRanks)
    out.push_back(
        fmt::format("the {} of {} ranks that cost the others most", kMostRanks, job.ranks.size()));
  for (const JobRank& rank : job.ranks)
    if (rank.is_late)
      out.push_back(
          fmt::format("the others wait for rank {}: {}", rank.rank, reasons_text(job, rank)));
  for (const JobLink& link : job.slow_links) out.push_back(slow_link_text(job, link));
  const bool any_wait = std::any_of(job.ranks.begin(), job.ranks.end(),
                                    [](const JobRank& rank) { return rank.waits_ns_total > 0; });
  if (any_wait) out.push_back(words_of_one_rank(scale));
  add_clocks(job.clocks, out);
  out.insert(out.end(), job.notes.begin(), job.notes.end());
  return out;
}

// Makes the row of a rank in the job's steps: work, transfer and waits sum to a step.
Row rank_row(const JobFacts& job, std::size_t at) {
  const JobRank& rank = job.ranks[at];
  const auto steps = static_cast<double>(job.steps_counted);
  const auto others = static_cast<double>(std::max<std::size_t>(1, job.ranks.size() - 1));
  Row out;
  out.cells = {Words{fmt::format("rank {}", rank.rank)},
               Amount{job.wall_ns_total, steps},
               Amount{rank.work_ns_total, steps},
               Amount{rank.transfer_ns_total, steps},
               Amount{rank.waits_ns_total, steps},
               Amount{rank.costs_ns_total, steps * others},
               note_of(job, at)};
  out.weight = Weight::always;
  out.link = {Link::To::rank, fmt::format("{}", rank.rank)};
  return out;
}

}  // namespace

Table ranks_table(const StepScale& scale) {
  Table out{.id = "ranks", .tab = "Ranks of the job", .unit = scale.unit};
  if (!scale.summary.job) return out;
  const JobFacts& job = *scale.summary.job;
  const std::string title = job_title(job);
  out.title = "Ranks: " + title;
  out.brief = "Ranks  " + title;
  out.columns = {{"rank", scale.time_title()},      {"wall_ns_per_step", "a step", Kind::time},
                 {"work_ns", "work", Kind::time},   {"transfer_ns", "transfer", Kind::time},
                 {"waits_ns", "waits", Kind::time}, {"costs_others_ns", "costs others", Kind::time},
                 {"note", "", Kind::note}};
  for (const std::size_t row : shown_rows(job)) out.rows.push_back(rank_row(job, row));
  out.texts = job_texts(scale);
  return out;
}

}  // namespace stepscope::report
