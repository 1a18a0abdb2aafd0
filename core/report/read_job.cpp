// SPDX-License-Identifier: Apache-2.0
#include "core/report/read_job.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/findings/all_findings.hpp"
#include "core/summary/job/job_summary.hpp"

namespace stepscope {
namespace {

// A rank that counts steps in less of the longest one's time than this is left out, or the job would be
// no longer than it. Above it the job is what all ranks count: a part that says who waited for whom is
// worth more than the whole with a rank missing, which does not say it.
constexpr double kLeastCovered = 0.1;

class TraceInMemory final : public JobTraces {
 public:
  explicit TraceInMemory(const Trace& trace) : trace_(trace) {}
  std::size_t size() const override { return 1; }
  std::string name(std::size_t /*part*/) const override { return trace_.data().path; }
  std::uint64_t bytes_to_read(std::size_t /*part*/) const override { return 0; }
  Status use(std::size_t /*part*/, const std::function<void(const Trace&)>& user) const override {
    user(trace_);
    return Done{};
  }

 private:
  const Trace& trace_;
};

std::string list_of(const std::vector<std::int32_t>& ranks) {
  constexpr std::size_t kMost = 16;
  const std::vector<std::int32_t> shown(
      ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(std::min(kMost, ranks.size())));
  return fmt::format("{} {}{}", ranks.size() == 1 ? "rank" : "ranks", fmt::join(shown, ", "),
                     ranks.size() > kMost ? fmt::format(" and {} more", ranks.size() - kMost) : "");
}

// Records of one part take their owners over into the job's.
void move_owners(const job::Owners& from, job::Owners& to, job::RankRecord& record) {
  std::vector<std::uint32_t> ids;
  for (std::uint32_t id = 0; id < from.size(); ++id) ids.push_back(to.id_of(from[id]));
  for (job::Piece& piece : record.pieces) piece.owner = ids[piece.owner];
}

// Forecasts are of the rank's own step, which is longer where the job's is a part of it.
void scale_forecasts(double times, Findings& findings) {
  for (std::vector<Finding>* list : {&findings.found, &findings.no_gain})
    for (Finding& finding : *list)
      if (finding.forecast)
        for (double* ns :
             {&finding.forecast->ns_per_step, &finding.forecast->low_ns_per_step,
              &finding.forecast->high_ns_per_step, &finding.forecast->ceiling_ns_per_step})
          *ns *= times;
}

class JobReader {
 public:
  JobReader(const JobTraces& traces, const JobOptions& options, const Progress& progress,
            const JobReaders* readers)
      : traces_(traces),
        options_(options),
        progress_(progress),
        readers_(readers),
        notes_(traces.problems()) {}

  Result<std::optional<Summary>> read(std::string& why_not) {
    PartsOfJob read = read_job_parts(traces_, options_, progress_, readers_);
    const auto first = std::find_if(read.parts.begin(), read.parts.end(),
                                    [](const auto& part) { return part.has_value(); });
    if (first == read.parts.end()) return read.unread.front();
    if ((*first)->ranks.empty()) return std::optional<Summary>();  // it tells no rank: no job's
    for (std::size_t part = 0; part < read.parts.size(); ++part)
      if (read.parts[part]) add_part(part, std::move(*read.parts[part]));
    for (const Error& error : read.unread)
      notes_.push_back("a part of the job is left out: " + error.message);
    note_unused(read.unused_summaries);
    if (!why_no_job_.empty()) {
      why_not = "this is no report of a job: " + why_no_job_;
      return std::optional<Summary>();
    }
    if (part_of_rank_.size() < 2) {
      if (!read.unread.empty()) return read.unread.front();
      note_alone(why_not);
      return std::optional<Summary>();
    }
    find_world();
    leave_out_unseen_devices();
    if (ranks_.size() >= 2) leave_out_short_ones();
    if (ranks_.size() < 2) {
      why_not = fmt::format("this is no report of the job: {}", fmt::join(notes_, "; "));
      return std::optional<Summary>();
    }
    return judged(why_not);
  }

 private:
  void note_unused(const std::vector<std::string>& reasons) {
    if (reasons.empty()) return;
    const bool one = reasons.size() == 1;
    notes_.push_back(fmt::format("the events of {} {} were read although {} when {} ended: {}",
                                 reasons.size(), one ? "rank" : "ranks",
                                 one ? "it reduced itself" : "they reduced themselves",
                                 one ? "it" : "they", reasons.front()));
  }

  // Files of a job name different ranks each.
  void add_part(std::size_t number, job::JobPart part) {
    is_own_recording_ = part.is_own_recording;
    world_ = std::max(world_, part.world_size);
    events_ += part.events;
    if (part.ranks.empty())
      why_no_job_ = fmt::format("{} names no rank: leave it out", traces_.name(number));
    for (job::RankPart& rank : part.ranks) {
      const auto [known, is_new] = part_of_rank_.emplace(rank.rank, number);
      if (!is_new)
        why_no_job_ = fmt::format("rank {} is in more than one file ({}, {}): give each rank once",
                                  rank.rank, traces_.name(known->second), traces_.name(number));
      notes_.insert(notes_.end(), rank.notes.begin(), rank.notes.end());
      if (!rank.record) continue;
      move_owners(part.owners, owners_, *rank.record);
      // A file that does not tell its host may have a clock of its own.
      if (rank.record->host.empty() && traces_.size() > 1)
        rank.record->clock = traces_.name(number);
      ranks_.push_back(std::move(rank));
    }
  }

  // A recording of ours holds all ranks that reported; other tools' files hold one by design.
  void note_alone(std::string& why_not) const {
    if (part_of_rank_.empty() || !is_own_recording_ || world_ < 2) return;
    why_not = fmt::format(
        "this is no report of the job: of its {} ranks rank {} alone is in this recording; give "
        "those of "
        "the others, too, to see who waits for whom",
        world_, part_of_rank_.begin()->first);
  }

  // The world size that most ranks name counts: ranks of another run may be in the folder.
  void find_world() {
    std::map<std::int32_t, std::size_t> votes;
    for (const job::RankPart& rank : ranks_) votes[rank.summary.run.world_size] += 1;
    for (const auto& [size, count] : votes)
      if (!votes.contains(world_) || count > votes[world_]) world_ = size;
    std::erase_if(ranks_, [this](const job::RankPart& rank) {
      const std::int32_t size = rank.summary.run.world_size;
      if (size == world_) return false;
      notes_.push_back(fmt::format(
          "rank {} is left out: it belongs to a job of {} ranks, the others to one of {}",
          rank.record->rank, size, world_));
      return true;
    });
  }

  // A rank whose device was not recorded would stand in each mean over the ranks as an idle one.
  void leave_out_unseen_devices() {
    const auto works = [](const job::RankPart& rank) {
      return rank.summary.partition.device_busy_ns_total > 0;
    };
    if (std::none_of(ranks_.begin(), ranks_.end(), works)) return;
    std::erase_if(ranks_, [&](const job::RankPart& rank) {
      const RunFacts& run = rank.summary.run;
      const bool unseen = !works(rank) && (run.device_unseen || !run.device.empty());
      if (unseen)
        notes_.push_back(fmt::format(
            "rank {} is left out: the work of its device was not recorded, so it would count as "
            "idle",
            rank.record->rank));
      return unseen;
    });
  }

  // A rank that covers too little of the longest one's steps. Records are large: none is copied.
  void leave_out_short_ones() {
    std::stable_sort(ranks_.begin(), ranks_.end(),
                     [](const job::RankPart& a, const auto& b) { return a.rank < b.rank; });
    for (job::RankPart& rank : ranks_) records_.push_back(std::move(*rank.record));
    matches_ = job::match_collectives(records_);
    std::vector<Interval> spans;
    for (std::uint32_t r = 0; r < records_.size(); ++r) {
      const auto& clock = matches_.clock(r);
      spans.push_back({clock.to_first(records_[r].steps.front().begin),
                       clock.to_first(records_[r].steps.back().end)});
    }
    const auto longest =
        static_cast<std::size_t>(std::max_element(spans.begin(), spans.end(),
                                                  [](const Interval& a, const Interval& b) {
                                                    return a.length() < b.length();
                                                  }) -
                                 spans.begin());
    std::vector<bool> kept;
    for (std::size_t r = 0; r < records_.size(); ++r) {
      const double covered = static_cast<double>(intersect(spans[r], spans[longest]).length()) /
                             static_cast<double>(spans[longest].length());
      kept.push_back(covered >= kLeastCovered);
      if (!kept.back())
        notes_.push_back(fmt::format(
            "rank {} is left out: its {} counted step{} {:.0f} % of the time of rank {}'s {}",
            records_[r].rank, records_[r].steps.size(),
            records_[r].steps.size() == 1 ? " covers" : "s cover", 100 * covered,
            records_[longest].rank, records_[longest].steps.size()));
    }
    keep(kept);
  }

  void keep(const std::vector<bool>& kept) {
    std::size_t left = 0;
    for (std::size_t r = 0; r < kept.size(); ++r) {
      if (!kept[r]) continue;
      if (left != r) {
        records_[left] = std::move(records_[r]);
        ranks_[left] = std::move(ranks_[r]);
      }
      ++left;
    }
    if (left == kept.size()) return;
    records_.resize(left);
    ranks_.resize(left);
    matches_ = job::match_collectives(records_);
  }

  Result<std::optional<Summary>> judged(std::string& why_not) {
    std::vector<Summary> summaries;
    for (job::RankPart& rank : ranks_) summaries.push_back(std::move(rank.summary));
    ranks_missing_ = missing_of(summaries);
    const bool incomplete = !ranks_missing_.empty();
    const job::Ledger ledger = build_ledger(records_, owners_, {incomplete, std::move(matches_)});
    if (ledger.steps.empty()) {
      why_not = fmt::format(
          "this is no report of the job: no step is counted by all of its ranks at once ({}). Most "
          "of a step must lie within what every rank recorded: record at least three on each",
          counted_text(summaries));
      return std::optional<Summary>();
    }
    Summary out = summarize_job(records_, summaries, owners_, ledger);
    std::string undecided = ledger.matches.why_none;
    if (incomplete) {
      undecided =
          fmt::format("{} of {} {} not here, so who came last is not known",
                      list_of(ranks_missing_), world_, ranks_missing_.size() == 1 ? "is" : "are");
      notes_.push_back(
          undecided +
          ": waiting for late ranks cannot be separated from the transfer; give what they "
          "recorded, too");
    }
    out.run.events = events_;
    note_step_counts(summaries);
    out.job->notes.insert(out.job->notes.begin(), notes_.begin(), notes_.end());
    if (options_.find) {
      const Status found = find(undecided, summaries, out);
      if (!found) return found.error();
    }
    return std::optional<Summary>(std::move(out));
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

  static std::string counted_text(const std::vector<Summary>& summaries) {
    const auto [least, most] = std::minmax_element(
        summaries.begin(), summaries.end(), [](const Summary& a, const Summary& b) {
          return a.partition.steps_counted < b.partition.steps_counted;
        });
    const auto low = least->partition.steps_counted, high = most->partition.steps_counted;
    if (low == high) return fmt::format("each counts {}", low);
    return fmt::format("they count {} to {}", low, high);
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
  Status find(const std::string& undecided, const std::vector<Summary>& summaries,
              Summary& out) const {
    const std::vector<JobRank>& ranks = out.job->ranks;
    const JobRank* chosen = &ranks.front();
    for (const JobRank& rank : ranks)
      if (rank.is_late && (!chosen->is_late || rank.gain_ns_total > chosen->gain_ns_total))
        chosen = &rank;
    return traces_.use(part_of_rank_.at(chosen->rank), [&](const Trace& trace) {
      auto run = job::read_run(trace, chosen->rank, options_);
      if (!run) return;
      Findings found = find_all_replayed(trace, run->steps, run->attribution, run->summary);
      scale_forecasts(out.partition.wall_ns_per_step() / run->summary.partition.wall_ns_per_step(),
                      found);
      out.findings = find_in_job(out, summaries, chosen->rank, std::move(found), undecided);
    });
  }

  const JobTraces& traces_;
  const JobOptions& options_;
  const Progress& progress_;
  const JobReaders* readers_;
  std::map<std::int32_t, std::size_t> part_of_rank_;
  std::string why_no_job_;
  bool is_own_recording_ = false;
  std::uint64_t events_ = 0;
  job::Owners owners_;
  std::vector<job::RankPart> ranks_;
  std::vector<job::RankRecord> records_;  // those of ranks_, once they are sorted
  job::Matches matches_;
  std::vector<std::int32_t> ranks_missing_;
  std::vector<std::string> notes_;
  std::int32_t world_ = -1;
};

}  // namespace

std::optional<Summary> read_job(const Trace& trace, const JobOptions& options,
                                std::string& why_not) {
  const TraceInMemory traces(trace);
  auto summary = JobReader(traces, options, {}, nullptr).read(why_not);
  return summary ? std::move(*summary) : std::nullopt;
}

Result<std::optional<Summary>> read_job(const JobTraces& traces, const JobOptions& options,
                                        const Progress& progress, std::string& why_not,
                                        const JobReaders* readers) {
  return JobReader(traces, options, progress, readers).read(why_not);
}

}  // namespace stepscope
