// SPDX-License-Identifier: Apache-2.0
#include "core/report/read_job.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "core/findings/all_findings.hpp"
#include "core/summary/job/job_summary.hpp"
#include "core/summary/job/read_rank.hpp"
#include "core/support/memory_limit.hpp"
#include "core/support/side_by_side.hpp"

namespace stepscope {
namespace {

// A rank that covers less of the first one's steps than this is left out, or the job would end with
// it.
constexpr double kLeastCovered = 0.5;

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

struct ReadRank {
  std::size_t part = 0;
  std::int32_t rank = 0;
  std::optional<job::RankRecord>
      record;  // its owners are those of the part; nothing: it is left out
  Summary summary;
  std::vector<std::string> notes;
};

// What one part of the job's traces holds. Parts are read side by side, so it refers to no other.
struct ReadPart {
  std::vector<ReadRank> ranks;
  job::Owners owners;
  std::int32_t world_size = -1;
  bool is_own_recording = false;
  std::uint64_t events = 0;
  Status status = Done{};
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

ReadRank read_one(const Trace& trace, std::int32_t rank, std::size_t processes,
                  const JobOptions& options, job::Owners& owners) {
  ReadRank out{.rank = rank};
  if (processes > 1)
    out.notes.push_back(
        fmt::format("rank {} was recorded by {} processes: the one that steps most like a "
                    "training loop counts",
                    rank, processes));
  auto run = read_run(trace, rank, options);
  if (!run) {
    out.notes.push_back(fmt::format("rank {} is left out: {}", rank, run.error().message));
  } else if (run->summary.partition.steps_counted == 0) {
    out.notes.push_back(fmt::format("rank {} is left out: none of its steps counts", rank));
  } else {
    out.record = job::read_rank(trace, run->steps, run->attribution, owners);
    out.summary = std::move(run->summary);
  }
  return out;
}

ReadPart read_part(const JobTraces& traces, std::size_t part, const JobOptions& options) {
  ReadPart out;
  out.status = traces.use(part, [&](const Trace& trace) {
    out.is_own_recording = trace.data().source == SourceKind::stepscope;
    for (const Process& process : trace.data().processes)
      out.world_size = std::max(out.world_size, process.world_size);
    for (const auto& [rank, processes] : processes_by_rank(trace)) {
      out.ranks.push_back(read_one(trace, rank, processes, options, out.owners));
      out.ranks.back().part = part;
      if (out.ranks.back().record) out.events = out.ranks.back().summary.run.events;
    }
  });
  return out;
}

// Records of one part take their owners over into the job's.
void move_owners(const job::Owners& from, job::Owners& to, job::RankRecord& record) {
  std::vector<std::uint32_t> ids;
  for (std::uint32_t id = 0; id < from.size(); ++id) ids.push_back(to.id_of(from[id]));
  for (job::Piece& piece : record.pieces) piece.owner = ids[piece.owner];
}

class JobReader {
 public:
  JobReader(const JobTraces& traces, const JobOptions& options, const Progress& progress)
      : traces_(traces), options_(options), progress_(progress), notes_(traces.problems()) {}

  Result<std::optional<Summary>> read(std::string& why_not) {
    ReadPart first = read_part(traces_, 0, options_);
    if (!first.status) return first.status.error();
    if (first.ranks.empty()) return std::optional<Summary>();  // it tells no rank: no job's
    add_part(std::move(first));
    if (const Status rest = read_the_rest(); !rest) return rest.error();
    if (!why_no_job_.empty()) {
      why_not = "this is no report of a job: " + why_no_job_;
      return std::optional<Summary>();
    }
    if (part_of_rank_.size() < 2) {
      note_alone(why_not);
      return std::optional<Summary>();
    }
    find_world();
    if (ranks_.size() >= 2) leave_out_short_ones();
    if (ranks_.size() < 2) {
      why_not = fmt::format("this is no report of the job: {}", fmt::join(notes_, "; "));
      return std::optional<Summary>();
    }
    return judged(why_not);
  }

 private:
  // The result is that of reading one part after the other, whatever the number of threads.
  Status read_the_rest() {
    std::vector<ReadPart> parts(traces_.size() - 1);
    std::atomic<std::uint64_t> done{1};
    std::mutex telling;
    for_each_side_by_side(parts.size(), threads(), [&](std::size_t i) {
      parts[i] = read_part(traces_, i + 1, options_);
      const std::scoped_lock hold(telling);
      report_progress(progress_, ++done, traces_.size());
    });
    for (ReadPart& part : parts) {
      if (!part.status) return part.status.error();
      add_part(std::move(part));
    }
    return Done{};
  }

  // As many parts at once as there are cores, within half of the memory that is left.
  std::size_t threads() const {
    std::uint64_t largest = 1;
    for (std::size_t part = 0; part < traces_.size(); ++part)
      largest = std::max(largest, traces_.bytes_to_read(part));
    const std::uint64_t fit = std::max<std::uint64_t>(1, memory_left_bytes() / 2 / largest);
    return std::min<std::uint64_t>(fit, usable_cores());
  }

  // Files of a job name different ranks each.
  void add_part(ReadPart part) {
    is_own_recording_ = part.is_own_recording;
    world_ = std::max(world_, part.world_size);
    const std::size_t number = parts_seen_++;
    events_ += part.events;
    if (part.ranks.empty()) why_no_job_ = fmt::format("{} names no rank", traces_.name(number));
    for (ReadRank& rank : part.ranks) {
      if (!part_of_rank_.emplace(rank.rank, number).second)
        why_no_job_ = fmt::format("rank {} is in more than one file", rank.rank);
      notes_.insert(notes_.end(), rank.notes.begin(), rank.notes.end());
      if (!rank.record) continue;
      move_owners(part.owners, owners_, *rank.record);
      // A file that does not tell its host may have a clock of its own.
      if (rank.record->host.empty() && traces_.size() > 1) rank.record->host = traces_.name(number);
      ranks_.push_back(std::move(rank));
    }
  }

  // A recording of ours holds all ranks that reported; other tools' files hold one by design.
  void note_alone(std::string& why_not) const {
    if (part_of_rank_.empty() || !is_own_recording_ || world_ < 2) return;
    why_not = fmt::format(
        "this is no report of the job: of its {} ranks rank {} alone is in this recording", world_,
        part_of_rank_.begin()->first);
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
          rank.record->rank, size, world_));
      return true;
    });
  }

  void leave_out_short_ones() {
    std::vector<job::RankRecord> all;
    for (const ReadRank& rank : ranks_) all.push_back(*rank.record);
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

  Result<std::optional<Summary>> judged(std::string& why_not) {
    std::stable_sort(ranks_.begin(), ranks_.end(),
                     [](const ReadRank& a, const ReadRank& b) { return a.rank < b.rank; });
    std::vector<job::RankRecord> records;
    std::vector<Summary> summaries;
    for (ReadRank& rank : ranks_) {
      records.push_back(std::move(*rank.record));
      summaries.push_back(std::move(rank.summary));
    }
    ranks_missing_ = missing_of(summaries);
    const bool incomplete = !ranks_missing_.empty();
    const job::Ledger ledger = build_ledger(records, owners_, {.incomplete = incomplete});
    if (ledger.steps.empty()) {
      why_not = "this is no report of the job: no step is counted by all of its ranks at once";
      return std::optional<Summary>();
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
    out.run.events = events_;
    note_step_counts(summaries);
    out.job->notes.insert(out.job->notes.begin(), notes_.begin(), notes_.end());
    if (options_.find) {
      const Status found = find(undecided, out);
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
  Status find(const std::string& undecided, Summary& out) const {
    const std::vector<JobRank>& ranks = out.job->ranks;
    const JobRank* chosen = &ranks.front();
    for (const JobRank& rank : ranks)
      if (rank.is_late && (!chosen->is_late || rank.gain_ns_total > chosen->gain_ns_total))
        chosen = &rank;
    return traces_.use(part_of_rank_.at(chosen->rank), [&](const Trace& trace) {
      auto run = read_run(trace, chosen->rank, options_);
      if (!run) return;
      out.findings = find_in_job(
          out, chosen->rank, find_all_replayed(trace, run->steps, run->attribution, run->summary),
          undecided);
    });
  }

  const JobTraces& traces_;
  const JobOptions& options_;
  const Progress& progress_;
  std::size_t parts_seen_ = 0;
  std::map<std::int32_t, std::size_t> part_of_rank_;
  std::string why_no_job_;
  bool is_own_recording_ = false;
  std::uint64_t events_ = 0;
  job::Owners owners_;
  std::vector<ReadRank> ranks_;
  std::vector<std::int32_t> ranks_missing_;
  std::vector<std::string> notes_;
  std::int32_t world_ = -1;
};

}  // namespace

std::optional<Summary> read_job(const Trace& trace, const JobOptions& options,
                                std::string& why_not) {
  const TraceInMemory traces(trace);
  auto summary = JobReader(traces, options, {}).read(why_not);
  return summary ? std::move(*summary) : std::nullopt;
}

Result<std::optional<Summary>> read_job(const JobTraces& traces, const JobOptions& options,
                                        const Progress& progress, std::string& why_not) {
  return JobReader(traces, options, progress).read(why_not);
}

}  // namespace stepscope
