// SPDX-License-Identifier: Apache-2.0
#include "core/summary/job/replay_program.hpp"

#include <algorithm>
#include <utility>

#include "core/summary/job/entries.hpp"

namespace stepscope::job {
namespace {

class ProgramWriter {
 public:
  ProgramWriter(const std::vector<RankRecord>& ranks, const Ledger& ledger, Interval window,
                const LessWork& less, std::uint32_t rank, const std::vector<Entry>& entries,
                const std::vector<std::uint32_t>& match_of_use)
      : record_(ranks[rank]),
        ledger_(ledger),
        window_(window),
        kept_(less.rank == rank ? less.kept_share : std::map<std::uint32_t, double>{}),
        rank_(rank),
        entries_(entries),
        match_of_use_(match_of_use) {
    find_open_waits();
  }

  Program write() {
    for (; next_ < entries_.size() && entries_[next_].time <= window_.begin; ++next_)
      out_.entered.push_back(entries_[next_].action);
    const HostClock& clock = ledger_.matches.clock(rank_);
    for (const Piece& piece : record_.pieces) {
      const Interval time =
          intersect({clock.to_first(piece.time.begin), clock.to_first(piece.time.end)}, window_);
      if (!time.empty()) add(piece, time);
    }
    return std::move(out_);
  }

 private:
  void find_open_waits() {
    for (const Entry& entry : entries_) {
      const std::int64_t all = ledger_.matches.collectives[entry.action.match].entered;
      if (entry.action.waits && entry.time < all) open_.push_back({entry.time, all});
    }
    open_ = unite(std::move(open_));
  }

  void add(const Piece& piece, Interval time) {
    const std::uint32_t match = piece.collective == kNone ? kNone : match_of_use_[piece.collective];
    const std::int64_t entered = match == kNone ? 0 : ledger_.matches.collectives[match].entered;
    if (match == kNone || entered >= window_.end) return add_work(piece.owner, time);
    add_wait(piece.owner, match, {time.begin, std::min(time.end, entered)});
    add_transfer(piece.owner, match, {std::max(time.begin, entered), time.end});
  }

  // Up to the last entry beside it the rank does nothing, which takes as long as it did, or as its
  // transfer where nobody else is waited for. It enters what it waits for before it waits, also as
  // the last one, at whose entry the wait ends.
  void add_wait(std::uint32_t owner, std::uint32_t match, Interval time) {
    if (time.empty()) return;
    const bool is_last = ledger_.matches.collectives[match].last == rank_;
    const double kept = is_last ? kept_of(owner, true) : 1;
    std::int64_t done = time.begin;
    const auto is_before_wait = [&](const Entry& entry) {
      return entry.time < time.end || (entry.time == time.end && entry.action.match == match);
    };
    while (next_ < entries_.size() && is_before_wait(entries_[next_])) {
      const std::int64_t idle = std::max<std::int64_t>(0, entries_[next_].time - done);
      add_alone(kept * static_cast<double>(idle));
      done = std::max(done, entries_[next_].time);
      enter();
    }
    out_.actions.push_back({Action::wait, match});
  }

  void add_transfer(std::uint32_t owner, std::uint32_t match, Interval time) {
    if (time.empty()) return;
    const std::int64_t entered = ledger_.matches.collectives[match].entered;
    double& saved = saved_[match];
    std::int64_t done = time.begin;
    const auto go_to = [&](std::int64_t to) {
      saved += (1 - kept_of(owner, true)) * static_cast<double>(to - done);
      done = to;
      out_.actions.push_back({Action::transfer, match, static_cast<double>(to - entered) - saved});
    };
    for (; next_ < entries_.size() && entries_[next_].time < time.end; enter())
      if (entries_[next_].time > done) go_to(entries_[next_].time);
    go_to(time.end);
  }

  double kept_of(std::uint32_t owner, bool transfer) const {
    if (kept_.empty()) return 1;
    const auto of_transfer = ledger_.transfer_of.find(owner);
    if (transfer && of_transfer != ledger_.transfer_of.end()) owner = of_transfer->second;
    const auto at = kept_.find(owner);
    return at == kept_.end() ? 1 : at->second;
  }

  void add_work(std::uint32_t owner, Interval time) {
    while (next_ < entries_.size() && entries_[next_].time < time.end) {
      const std::int64_t cut = std::max(time.begin, entries_[next_].time);
      add_stretch(owner, {time.begin, cut});
      time.begin = cut;
      enter();
    }
    add_stretch(owner, time);
  }

  // A stretch of work without an entry, part of which may lie beside a wait.
  void add_stretch(std::uint32_t owner, Interval time) {
    if (time.empty()) return;
    while (next_open_ < open_.size() && open_[next_open_].end <= time.begin) ++next_open_;
    std::int64_t beside = 0;
    for (std::size_t w = next_open_; w < open_.size() && open_[w].begin < time.end; ++w)
      beside += intersect(open_[w], time).length();
    const auto slowed = ledger_.slowed.find({rank_, owner});
    const double slow = slowed == ledger_.slowed.end() ? 1 : slowed->second.times_as_long();
    const double alone = static_cast<double>(time.length() - beside);
    add_alone(kept_of(owner, false) * (alone + static_cast<double>(beside) / slow), slow);
  }

  // Stretches behind each other are one.
  void add_alone(double ns, double slow = 1) {
    if (ns <= 0) return;
    if (out_.actions.empty() || out_.actions.back().kind != Action::work)
      out_.actions.push_back({Action::work});
    Action& work = out_.actions.back();
    work.times_as_long = (work.ns * work.times_as_long + ns * slow) / (work.ns + ns);
    work.ns += ns;
  }

  void enter() { out_.actions.push_back(entries_[next_++].action); }

  const RankRecord& record_;
  const Ledger& ledger_;
  const Interval window_;
  const std::map<std::uint32_t, double> kept_;
  const std::uint32_t rank_;
  const std::vector<Entry>& entries_;
  const std::vector<std::uint32_t>& match_of_use_;
  std::vector<Interval> open_;             // in which a collective of the rank waited for another
  std::map<std::uint32_t, double> saved_;  // by match: of the rank's transfer
  std::size_t next_ = 0, next_open_ = 0;
  Program out_;
};

}  // namespace

std::vector<Program> programs_of(const std::vector<RankRecord>& ranks, const Ledger& ledger,
                                 Interval window, const LessWork& less) {
  const MatchOfUse match_of_use = matches_of_uses(ranks, ledger.matches);
  const auto entries = entries_of(ranks, ledger.matches, match_of_use);
  std::vector<Program> out;
  for (std::uint32_t r = 0; r < ranks.size(); ++r)
    out.push_back(
        ProgramWriter(ranks, ledger, window, less, r, entries[r], match_of_use[r]).write());
  move_to_issue(ledger.matches, out);
  return out;
}

}  // namespace stepscope::job
