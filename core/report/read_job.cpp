// SPDX-License-Identifier: Apache-2.0
#include "core/report/read_job.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/findings/job_findings.hpp"
#include "core/findings/replayed_findings.hpp"
#include "core/summary/job/job_summary.hpp"
#include "core/summary/job/read_rank.hpp"

namespace stepscope {
namespace {

// A rank that covers less of the first one's steps than this is left out, or the job would end with
// it.
constexpr double kLeastCovered = 0.5;

struct ReadRank {
  job::RankRecord record;
  Summary summary;
};

struct RankRun {
  Steps steps;
  Attribution attribution;
  Summary summary;
};

std::map<std::int32_t, std::size_t> processes_by_rank(const Trace& trace) {
  std::set<ProcessId> with_events;
  for (const ThreadId thread : trace.host_ranges().thread)
    with_events.insert(trace.data().threads[thread].process);
  for (const StreamId stream : trace.device_ops().stream)
    with_events.insert(trace.data().streams[stream].process);
  std::map<std::int32_t, std::size_t> out;
  for (const ProcessId process : with_events) {
    const std::int32_t rank = trace.data().processes[process].rank;
    if (rank >= 0) out[rank] += 1;
  }
  return out;
}

Result<RankRun> read_run(const Trace& trace, std::int32_t rank, const JobOptions& options) {
  auto steps = find_steps(
      trace, {.marker_regex = options.step_marker, .rank = rank, .section = options.section});
  if (!steps) return steps.error();
  if (steps->found_by == FoundBy::whole_trace) return bad_input("no steps were found in it");
  auto attribution = attribute(trace, *steps, {.phase_regex = options.phase});
  if (!attribution) return attribution.error();
  Summary summary = summarize(trace, *steps, *attribution, options.summary);
  return RankRun{std::move(*steps), std::move(*attribution), std::move(summary)};
}

std::string list_of(const std::vector<std::int32_t>& ranks) {
  constexpr std::size_t kMost = 16;
  const std::vector<std::int32_t> shown(
      ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(std::min(kMost, ranks.size())));
  return fmt::format("{} {}{}", ranks.size() == 1 ? "rank" : "ranks", fmt::join(shown, ", "),
                     ranks.size() > kMost ? fmt::format(" and {} more", ranks.size() - kMost) : "");
}

class JobReader {
 public:
  JobReader(const Trace& trace, const JobOptions& options) : trace_(trace), options_(options) {}

  std::optional<Summary> read(std::string& why_not) {
    const std::map<std::int32_t, std::size_t> processes = processes_by_rank(trace_);
    if (processes.size() < 2) {
      if (processes.size() == 1) note_alone(processes.begin()->first, why_not);
      return std::nullopt;
    }
    for (const auto& [rank, count] : processes) add_rank(rank, count);
    find_world();
    if (ranks_.size() >= 2) leave_out_short_ones();
    if (ranks_.size() < 2) {
      why_not = fmt::format("this is no report of the job: {}", fmt::join(notes_, "; "));
      return std::nullopt;
    }
    return judged(why_not);
  }

 private:
  // A recording of ours holds all ranks that reported; other tools' files hold one by design.
  void note_alone(std::int32_t rank, std::string& why_not) const {
    std::int32_t world = -1;
    for (const Process& process : trace_.data().processes)
      world = std::max(world, process.world_size);
    if (trace_.data().source != SourceKind::stepscope || world < 2) return;
    why_not = fmt::format(
        "this is no report of the job: of its {} ranks rank {} alone is in this recording", world,
        rank);
  }

  void add_rank(std::int32_t rank, std::size_t processes) {
    if (processes > 1)
      notes_.push_back(
          fmt::format("rank {} was recorded by {} processes: the one that steps most like a "
                      "training loop counts",
                      rank, processes));
    auto run = read_run(trace_, rank, options_);
    if (!run) {
      notes_.push_back(fmt::format("rank {} is left out: {}", rank, run.error().message));
      return;
    }
    if (run->summary.partition.steps_counted == 0) {
      notes_.push_back(fmt::format("rank {} is left out: none of its steps counts", rank));
      return;
    }
    ranks_.push_back(
        {job::read_rank(trace_, run->steps, run->attribution, owners_), std::move(run->summary)});
  }

  // The world size that most ranks name counts: ranks of another run may be in the folder.
  void find_world() {
    std::map<std::int32_t, std::size_t> votes;
    for (const ReadRank& rank : ranks_) votes[rank.summary.run.world_size] += 1;
    for (const auto& [size, count] : votes)
      if (!votes.contains(world_) || count > votes[world_]) world_ = size;
    std::erase_if(ranks_, [this](const ReadRank& rank) {
      const std::int32_t size = rank.summary.run.world_size;
      if (size == world_) return false;
      notes_.push_back(fmt::format(
          "rank {} is left out: it belongs to a job of {} ranks, the others to one of {}",
          rank.record.rank, size, world_));
      return true;
    });
  }

  void leave_out_short_ones() {
    std::vector<job::RankRecord> all;
    for (const ReadRank& rank : ranks_) all.push_back(rank.record);
    const job::Matches matches = job::match_collectives(all);
    const auto span = [&](std::size_t r) {
      const auto& clock = matches.clock(static_cast<std::uint32_t>(r));
      return Interval{clock.to_first(all[r].steps.front().begin),
                      clock.to_first(all[r].steps.back().end)};
    };
    std::vector<std::int64_t> lengths;
    for (std::size_t r = 0; r < all.size(); ++r) lengths.push_back(span(r).length());
    const std::size_t longest = static_cast<std::size_t>(
        std::max_element(lengths.begin(), lengths.end()) - lengths.begin());
    std::vector<ReadRank> kept;
    for (std::size_t r = 0; r < all.size(); ++r) {
      const double covered = static_cast<double>(intersect(span(r), span(longest)).length()) /
                             static_cast<double>(lengths[longest]);
      if (covered >= kLeastCovered) {
        kept.push_back(std::move(ranks_[r]));
      } else {
        notes_.push_back(fmt::format(
            "rank {} is left out: its {} counted steps cover {:.0f} % of the time of rank {}'s {}",
            all[r].rank, all[r].steps.size(), 100 * covered, all[longest].rank,
            all[longest].steps.size()));
      }
    }
    ranks_ = std::move(kept);
  }

  std::optional<Summary> judged(std::string& why_not) {
    std::vector<job::RankRecord> records;
    std::vector<Summary> summaries;
    for (ReadRank& rank : ranks_) {
      records.push_back(std::move(rank.record));
      summaries.push_back(std::move(rank.summary));
    }
    ranks_missing_ = missing_of(summaries);
    const bool incomplete = !ranks_missing_.empty();
    const job::Ledger ledger = build_ledger(records, owners_, {.incomplete = incomplete});
    if (ledger.steps.empty()) {
      why_not = "this is no report of the job: no step is counted by all of its ranks at once";
      return std::nullopt;
    }
    Summary out = summarize_job(records, summaries, owners_, ledger);
    std::string undecided = ledger.matches.why_none;
    if (incomplete) {
      undecided =
          fmt::format("{} of {} {} not here, so who came last is not known",
                      list_of(ranks_missing_), world_, ranks_missing_.size() == 1 ? "is" : "are");
      notes_.push_back(undecided +
                       ": waiting for late ranks cannot be separated from the transfer");
    }
    note_step_counts(summaries);
    out.job->notes.insert(out.job->notes.begin(), notes_.begin(), notes_.end());
    if (options_.find) find(undecided, out);
    return out;
  }

  std::vector<std::int32_t> missing_of(const std::vector<Summary>& summaries) const {
    std::vector<std::int32_t> out;
    for (std::int32_t rank = 0; rank < world_; ++rank) {
      const bool there = std::any_of(summaries.begin(), summaries.end(),
                                     [rank](const Summary& s) { return s.run.rank == rank; });
      if (!there) out.push_back(rank);
    }
    return out;
  }

  void note_step_counts(const std::vector<Summary>& summaries) {
    const auto [least, most] = std::minmax_element(
        summaries.begin(), summaries.end(), [](const Summary& a, const Summary& b) {
          return a.partition.steps_counted < b.partition.steps_counted;
        });
    if (least->partition.steps_counted != most->partition.steps_counted)
      notes_.push_back(
          fmt::format("ranks count different numbers of steps: {} (rank {}) to {} "
                      "(rank {}); the job's are those that all count",
                      least->partition.steps_counted, least->run.rank,
                      most->partition.steps_counted, most->run.rank));
  }

  // The rules look at the rank that makes the others wait, else at the first one.
  void find(const std::string& undecided, Summary& out) const {
    const std::vector<JobRank>& ranks = out.job->ranks;
    const JobRank* chosen = &ranks.front();
    for (const JobRank& rank : ranks)
      if (rank.is_late && (!chosen->is_late || rank.gain_ns_total > chosen->gain_ns_total))
        chosen = &rank;
    auto run = read_run(trace_, chosen->rank, options_);
    if (!run) return;
    out.findings = find_in_job(
        out, chosen->rank, find_all_replayed(trace_, run->steps, run->attribution, run->summary),
        undecided);
  }

  const Trace& trace_;
  const JobOptions& options_;
  job::Owners owners_;
  std::vector<ReadRank> ranks_;
  std::vector<std::int32_t> ranks_missing_;
  std::vector<std::string> notes_;
  std::int32_t world_ = -1;
};

}  // namespace

std::optional<Summary> read_job(const Trace& trace, const JobOptions& options,
                                std::string& why_not) {
  return JobReader(trace, options).read(why_not);
}

}  // namespace stepscope
