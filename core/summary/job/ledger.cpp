// SPDX-License-Identifier: Apache-2.0
#include "core/summary/job/ledger.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "core/summary/job/excess.hpp"
#include "core/support/statistics.hpp"

namespace stepscope::job {
namespace {

// A rank may record the end of a collective a little behind the moment at which it went on.
constexpr std::int64_t kEndTolerance = 10;  // a tenth of the collective
constexpr std::size_t kMostLookedBack = 4096;

// A piece of a rank, cut where the last rank entered the collective that it takes part in.
struct Slice {
  Interval time;
  std::uint32_t owner = 0;
  std::uint32_t wait = kNone;   // row of waits_, of the part in which it waits for a late rank
  std::uint32_t match = kNone;  // row of Matches::collectives, of the part behind the last entry
};

struct Wait {
  std::uint32_t rank = 0;
  std::uint32_t last = 0;
  std::uint32_t collective = 0;  // row of Matches::collectives
  std::int64_t entered = 0;
  std::int64_t first_begin = 0;
  std::int64_t ns = 0;
  std::vector<Reason> reasons;  // empty: not settled
};

constexpr std::int64_t kNeverMet = std::numeric_limits<std::int64_t>::min();

// The time from which a rank takes part in a collective until the last rank enters it.
struct OpenWait {
  Interval time;
  std::uint32_t last = 0;
};

struct AlignedRank {
  std::vector<Slice> slices;
  std::vector<OpenWait> open_waits;         // by begin; the rank may work beside them
  std::vector<std::uint32_t> match_of_use;  // row of Matches::collectives, or kNone
  // Row of Matches::collectives -> when the rank, having no other work, left it; kNeverMet: it had.
  std::map<std::uint32_t, std::int64_t> met;
  std::vector<std::pair<std::int64_t, std::uint32_t>> meetings;  // the entries of `met`, by time
};

class Builder {
 public:
  Builder(const std::vector<RankRecord>& ranks, Owners& owners, LedgerOptions options)
      : records_(ranks), owners_(owners), incomplete_(options.incomplete) {
    out_.matches = options.matches ? std::move(*options.matches) : match_collectives(ranks);
    out_.times_last.assign(ranks.size(), 0);
  }

  Ledger build() {
    align();
    choose_steps();
    settle_waits();
    add_cells();
    std::sort(out_.cells.begin(), out_.cells.end(), [](const JobCell& a, const JobCell& b) {
      return std::tie(a.step, a.rank, a.by_rank, a.owner) <
             std::tie(b.step, b.rank, b.by_rank, b.owner);
    });
    return std::move(out_);
  }

 private:
  const std::vector<JobCollective>& matched() const { return out_.matches.collectives; }

  void align() {
    ranks_.resize(records_.size());
    for (std::uint32_t r = 0; r < records_.size(); ++r)
      ranks_[r].match_of_use.assign(records_[r].collectives.size(), kNone);
    for (std::uint32_t m = 0; m < matched().size(); ++m) {
      bool waited = false;
      for (const Member& member : matched()[m].members) {
        ranks_[member.rank].match_of_use[member.use] = m;
        waited |= member.rank != matched()[m].last;
        note_open_wait(member, matched()[m]);
      }
      if (waited) out_.times_last[matched()[m].last] += 1;
    }
    for (std::uint32_t r = 0; r < records_.size(); ++r) cut_slices(r);
    for (AlignedRank& rank : ranks_) {
      join_transfers(rank.slices);
      std::sort(rank.open_waits.begin(), rank.open_waits.end(),
                [](const OpenWait& a, const OpenWait& b) { return a.time.begin < b.time.begin; });
    }
  }

  void note_open_wait(const Member& member, const JobCollective& collective) {
    const CollectiveUse& use = records_[member.rank].collectives[member.use];
    const std::int64_t begin = out_.matches.clock(member.rank).to_first(use.time.begin);
    if (member.rank != collective.last && begin < collective.entered && !incomplete_)
      ranks_[member.rank].open_waits.push_back({{begin, collective.entered}, collective.last});
  }

  void cut_slices(std::uint32_t r) {
    const HostClock& clock = out_.matches.clock(r);
    for (const Piece& piece : records_[r].pieces) {
      Slice slice{{clock.to_first(piece.time.begin), clock.to_first(piece.time.end)}, piece.owner};
      const std::uint32_t match =
          piece.collective == kNone ? kNone : ranks_[r].match_of_use[piece.collective];
      if (match == kNone || incomplete_) {
        push(r, slice);
        continue;
      }
      note_meeting(r, piece.collective, match, slice.time);
      add_late_part(r, match, slice);
      slice.owner = out_.transfer_of[piece.owner] = as(Cause::comm_transfer, piece.owner);
      slice.match = match;
      push(r, slice);
    }
    AlignedRank& rank = ranks_[r];
    for (const auto& [match, time] : rank.met) {
      if (time != kNeverMet) rank.meetings.emplace_back(time, match);
    }
    std::sort(rank.meetings.begin(), rank.meetings.end());
  }

  // A transfer behind which a rank at once waits for another one held only itself up, if that other
  // one worked beside it: it would have waited from there on.
  void join_transfers(std::vector<Slice>& slices) {
    for (std::size_t i = slices.size(); i-- > 1;) {
      const std::uint32_t w = slices[i].wait;
      Slice& before = slices[i - 1];
      if (w == kNone || before.match == kNone) continue;
      const auto& met = ranks_[waits_[w].last].met;
      const auto there = met.find(before.match);
      if (there != met.end() && there->second != kNeverMet) continue;
      before.wait = w;
      before.owner = as(Cause::comm_late_rank, before.owner);
      waits_[w].ns += before.time.length();
      waits_[w].first_begin = std::min(waits_[w].first_begin, before.time.begin);
    }
  }

  void push(std::uint32_t r, const Slice& slice) {
    if (!slice.time.empty()) ranks_[r].slices.push_back(slice);
  }

  // Only the last piece that a rank spends in a collective can be the one in which it left it.
  void note_meeting(std::uint32_t r, std::uint32_t use, std::uint32_t match, Interval time) {
    const Interval whole = records_[r].collectives[use].time;
    const std::int64_t end = out_.matches.clock(r).to_first(whole.end);
    const bool to_the_end = end - time.end <= whole.length() / kEndTolerance;
    ranks_[r].met[match] = to_the_end ? time.end : kNeverMet;
  }

  void add_late_part(std::uint32_t r, std::uint32_t match, Slice& slice) {
    const JobCollective& collective = matched()[match];
    if (collective.last == r || slice.time.begin >= collective.entered) return;
    Slice late = slice;
    late.time.end = std::min(late.time.end, collective.entered);
    late.owner = as(Cause::comm_late_rank, slice.owner);
    const auto [at, is_new] = wait_of_.try_emplace({r, match}, waits_.size());
    if (is_new)
      waits_.push_back({r, collective.last, match, collective.entered, late.time.begin, 0, {}});
    waits_[at->second].ns += late.time.length();
    late.wait = static_cast<std::uint32_t>(at->second);
    push(r, late);
    slice.time.begin = late.time.end;
  }

  std::uint32_t as(Cause cause, std::uint32_t owner) {
    Owner changed = owners_[owner];
    changed.cause = cause;
    return owners_.id_of(changed);
  }

  // Steps of the first rank that lie in what every rank recorded, and whose middle every rank
  // counts.
  void choose_steps() {
    if (records_.empty()) return;
    for (const Interval& step : records_.front().steps) {
      const std::int64_t middle = step.begin + step.length() / 2;
      bool counted = !step.empty();
      for (std::uint32_t r = 0; r < records_.size() && counted; ++r) {
        const std::vector<Slice>& slices = ranks_[r].slices;
        counted = !slices.empty() && slices.front().time.begin <= step.begin &&
                  step.end <= slices.back().time.end && counts_at(r, middle);
      }
      if (counted) out_.steps.push_back(step);
    }
    if (out_.steps.empty()) choose_part();
  }

  // Ranks that recorded one step each began it at different times.
  void choose_part() {
    constexpr double kMostOfIt = 0.8;
    const Interval common = recorded_by_all();
    for (const Interval& step : records_.front().steps) {
      const Interval part = intersect(step, common);
      const std::int64_t middle = part.begin + part.length() / 2;
      bool counted =
          static_cast<double>(part.length()) >= kMostOfIt * static_cast<double>(step.length());
      for (std::uint32_t r = 0; r < records_.size() && counted; ++r) counted = counts_at(r, middle);
      if (!counted || part.empty()) continue;
      out_.steps = {part};
      out_.part_of = step;
      return;
    }
  }

  Interval recorded_by_all() const {
    Interval out{std::numeric_limits<std::int64_t>::min(),
                 std::numeric_limits<std::int64_t>::max()};
    for (const AlignedRank& rank : ranks_) {
      if (rank.slices.empty()) return {};
      out.begin = std::max(out.begin, rank.slices.front().time.begin);
      out.end = std::min(out.end, rank.slices.back().time.end);
    }
    return out.begin < out.end ? out : Interval{};
  }

  bool counts_at(std::uint32_t r, std::int64_t time) const {
    const HostClock& clock = out_.matches.clock(r);
    const std::vector<Interval>& steps = records_[r].steps;
    const auto after = std::upper_bound(
        steps.begin(), steps.end(), time,
        [&](std::int64_t t, const Interval& i) { return t < clock.to_first(i.end); });
    return after != steps.end() && clock.to_first(after->begin) <= time;
  }

  void settle_waits() {
    std::vector<std::uint32_t> order(waits_.size());
    for (std::uint32_t w = 0; w < order.size(); ++w) order[w] = w;
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return waits_[a].entered < waits_[b].entered;
    });
    for (const std::uint32_t w : order) settle(w);
  }

  void settle(std::uint32_t w) {
    Wait& wait = waits_[w];
    const bool one_clock =
        out_.matches.clock_of_rank[wait.rank] == out_.matches.clock_of_rank[wait.last];
    const std::int64_t error =
        one_clock ? 0
                  : out_.matches.clock(wait.rank).error_ns + out_.matches.clock(wait.last).error_ns;
    if (wait.ns <= error) return;
    const std::int64_t since = last_meeting(wait);
    const Spent late = spent(wait.last, {since, wait.entered}, kNone);
    const Spent other = spent(wait.rank, {since, wait.entered}, w);
    wait.reasons = excess_of(late, other, owners_);
  }

  // Returns when both had last left a common collective with nothing else to do; before the first
  // one: the later begin of the two recordings.
  std::int64_t last_meeting(const Wait& wait) const {
    const auto& own = ranks_[wait.rank].meetings;
    const auto& other = ranks_[wait.last].met;
    auto at = std::upper_bound(own.begin(), own.end(), std::pair(wait.first_begin, kNone));
    for (std::size_t looked = 0; at != own.begin() && looked < kMostLookedBack; ++looked) {
      --at;
      const auto there = other.find(at->second);
      if (there != other.end() && there->second != kNeverMet && there->second <= wait.entered)
        return std::max(at->first, there->second);
    }
    const std::int64_t begun = std::max(ranks_[wait.rank].slices.front().time.begin,
                                        ranks_[wait.last].slices.front().time.begin);
    return at == own.begin() ? begun : std::max(begun, at->first);
  }

  // A wait that was not settled is no work: what it stands for is not known.
  Spent spent(std::uint32_t r, Interval time, std::uint32_t without_wait) const {
    Spent out;
    const std::vector<Slice>& slices = ranks_[r].slices;
    auto slice = std::upper_bound(slices.begin(), slices.end(), time.begin,
                                  [](std::int64_t t, const Slice& s) { return t < s.time.end; });
    for (; slice != slices.end() && slice->time.begin < time.end; ++slice) {
      const auto ns = static_cast<double>(intersect(slice->time, time).length());
      if (slice->wait == kNone) {
        out[{slice->owner, r}] += ns;
      } else if (slice->wait != without_wait) {
        add_settled(waits_[slice->wait], {slice->owner, r}, ns, out);
      }
    }
    return out;
  }

  static void add_settled(const Wait& wait, std::pair<std::uint32_t, std::uint32_t> self, double ns,
                          Spent& out) {
    double all = 0;
    for (const Reason& reason : wait.reasons) all += reason.ns;
    if (all <= 0) out[self] += ns;
    for (const Reason& reason : wait.reasons)
      out[{reason.owner, reason.by_rank}] += ns * reason.ns / all;
  }

  void add_cells() {
    std::vector<std::size_t> next_slice(ranks_.size()), next_wait(ranks_.size());
    for (std::uint32_t step = 0; step < out_.steps.size(); ++step) {
      std::vector<StepSums> sums(ranks_.size());
      std::vector<WorkBesideWaits> beside(ranks_.size());
      for (std::uint32_t r = 0; r < ranks_.size(); ++r)
        add_slices(r, out_.steps[step], next_slice[r], next_wait[r], sums[r], beside[r]);
      charge_slowed_work(beside, owners_, sums, out_.slowed);
      for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
        for (const auto& [key, ns] : sums[r])
          if (ns != 0) out_.cells.push_back({step, r, key.first, key.second, ns});
      }
    }
  }

  // `first` and `wait` move to the first slice and open wait that reach into the window.
  void add_slices(std::uint32_t r, Interval window, std::size_t& first, std::size_t& wait,
                  StepSums& sums, WorkBesideWaits& beside) const {
    const std::vector<Slice>& slices = ranks_[r].slices;
    while (first < slices.size() && slices[first].time.end <= window.begin) ++first;
    for (std::size_t s = first; s < slices.size() && slices[s].time.begin < window.end; ++s) {
      const Interval time = intersect(slices[s].time, window);
      add_slice(r, slices[s], time.length(), sums);
      if (slices[s].wait == kNone && slices[s].match == kNone)
        add_beside(r, slices[s].owner, time, wait, beside);
    }
  }

  void add_beside(std::uint32_t r, std::uint32_t owner, Interval time, std::size_t& wait,
                  WorkBesideWaits& beside) const {
    const std::vector<OpenWait>& waits = ranks_[r].open_waits;
    while (wait < waits.size() && waits[wait].time.end <= time.begin) ++wait;
    for (std::size_t w = wait; w < waits.size() && waits[w].time.begin < time.end; ++w) {
      const std::int64_t ns = intersect(waits[w].time, time).length();
      if (ns <= 0) continue;
      beside[{waits[w].last, owner}] += ns;
      time.begin = std::max(time.begin, waits[w].time.end);  // the first wait counts
    }
  }

  void add_slice(std::uint32_t r, const Slice& slice, std::int64_t ns, StepSums& sums) const {
    const std::vector<Reason>* reasons =
        slice.wait == kNone ? nullptr : &waits_[slice.wait].reasons;
    if (reasons == nullptr || reasons->empty()) {
      sums[{r, slice.owner}] += ns;
      return;
    }
    std::vector<double> weights;
    for (const Reason& reason : *reasons) weights.push_back(reason.ns);
    const std::vector<std::int64_t> parts = largest_remainder(ns, weights);
    for (std::size_t i = 0; i < parts.size(); ++i)
      sums[{(*reasons)[i].by_rank, (*reasons)[i].owner}] += parts[i];
  }

  const std::vector<RankRecord>& records_;
  Owners& owners_;
  bool incomplete_;
  std::vector<AlignedRank> ranks_;
  std::vector<Wait> waits_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> wait_of_;  // (rank, match)
  Ledger out_;
};

}  // namespace

Ledger build_ledger(const std::vector<RankRecord>& ranks, Owners& owners, LedgerOptions options) {
  return Builder(ranks, owners, std::move(options)).build();
}

}  // namespace stepscope::job
