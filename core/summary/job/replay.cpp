// SPDX-License-Identifier: Apache-2.0
#include "core/summary/job/replay.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

namespace stepscope::job {
namespace {

constexpr double kNotYet = std::numeric_limits<double>::lowest();

// What a rank does up to `time`, by the recording's time. What ends at a time comes before its
// entries, and these before the waits that they end.
struct Event {
  enum Kind : std::uint8_t { work, transfer, entry, wait };
  std::int64_t time = 0;
  Kind kind = work;
  std::uint32_t rank = 0;
  std::uint32_t match = kNone;  // row of Matches::collectives
  double share = 1;             // what is kept of work
};

class Replay {
 public:
  Replay(const std::vector<RankRecord>& ranks, const Matches& matches, Interval window,
         const LessWork& less)
      : ranks_(ranks), matches_(matches), window_(window), less_(less) {
    entered_.assign(matches.collectives.size(), kNotYet);
    find_matches();
    for (std::uint32_t r = 0; r < ranks.size(); ++r) add_events(r);
    std::sort(events_.begin(), events_.end(), [](const Event& a, const Event& b) {
      return std::tie(a.time, a.kind) < std::tie(b.time, b.kind);
    });
  }

  double gain() {
    std::vector<std::int64_t> recorded(ranks_.size(), window_.begin);
    std::vector<double> replayed(ranks_.size(), static_cast<double>(window_.begin));
    for (const Event& event : events_) go_on(event, recorded[event.rank], replayed[event.rank]);
    double sum = 0;
    for (std::size_t r = 0; r < ranks_.size(); ++r)
      sum += static_cast<double>(recorded[r]) - replayed[r];
    return sum / static_cast<double>(ranks_.size());
  }

 private:
  void find_matches() {
    match_of_use_.resize(ranks_.size());
    for (std::size_t r = 0; r < ranks_.size(); ++r)
      match_of_use_[r].assign(ranks_[r].collectives.size(), kNone);
    for (std::uint32_t m = 0; m < matches_.collectives.size(); ++m) {
      for (const Member& member : matches_.collectives[m].members)
        match_of_use_[member.rank][member.use] = m;
      for (const Member& member : matches_.collectives[m].awaited)
        awaited_by_[{member.rank, member.use}].push_back(m);
    }
  }

  void add_events(std::uint32_t r) {
    const HostClock& clock = matches_.clock(r);
    std::vector<std::int64_t> entries;
    for (std::uint32_t u = 0; u < ranks_[r].collectives.size(); ++u) {
      const std::int64_t begin = clock.to_first(ranks_[r].collectives[u].time.begin);
      if (match_of_use_[r][u] != kNone) add_entry(r, match_of_use_[r][u], begin, entries);
      const auto others = awaited_by_.find({r, u});
      if (others == awaited_by_.end()) continue;
      for (const std::uint32_t m : others->second) add_entry(r, m, begin, entries);
    }
    std::sort(entries.begin(), entries.end());
    for (const Piece& piece : ranks_[r].pieces) {
      const Interval time =
          intersect({clock.to_first(piece.time.begin), clock.to_first(piece.time.end)}, window_);
      if (!time.empty()) add_piece(r, piece, time, entries);
    }
  }

  void add_entry(std::uint32_t r, std::uint32_t match, std::int64_t begin,
                 std::vector<std::int64_t>& entries) {
    if (begin >= window_.end) return;
    if (begin <= window_.begin) {  // before anything changes
      entered_[match] = std::max(entered_[match], static_cast<double>(begin));
      return;
    }
    entries.push_back(begin);
    events_.push_back({begin, Event::entry, r, match});
  }

  void add_piece(std::uint32_t r, const Piece& piece, Interval time,
                 const std::vector<std::int64_t>& entries) {
    const std::uint32_t match =
        piece.collective == kNone ? kNone : match_of_use_[r][piece.collective];
    if (match != kNone) {
      const std::int64_t entered = matches_.collectives[match].entered;
      if (time.begin < entered && entered <= time.end)
        events_.push_back({entered, Event::wait, r, match});
      if (time.end > entered) return events_.push_back({time.end, Event::transfer, r, match});
      if (time.end == entered) return;
    }
    const auto share =
        r == less_.rank ? less_.kept_share.find(piece.owner) : less_.kept_share.end();
    const double kept = share == less_.kept_share.end() ? 1 : share->second;
    auto cut = std::upper_bound(entries.begin(), entries.end(), time.begin);
    for (; cut != entries.end() && *cut < time.end; ++cut)
      events_.push_back({*cut, Event::work, r, kNone, kept});
    events_.push_back({time.end, Event::work, r, kNone, kept});
  }

  void go_on(const Event& event, std::int64_t& recorded, double& replayed) {
    const auto since = [&](std::int64_t begin) { return static_cast<double>(event.time - begin); };
    switch (event.kind) {
      case Event::work:
        replayed += event.share * since(recorded);
        break;
      case Event::entry:
        entered_[event.match] = std::max(entered_[event.match], replayed);
        return;
      case Event::wait:
        replayed = std::max(replayed, entered_[event.match]);
        break;
      case Event::transfer:
        replayed = std::max(
            replayed, entered_[event.match] + since(matches_.collectives[event.match].entered));
        break;
    }
    recorded = std::max(recorded, event.time);
  }

  const std::vector<RankRecord>& ranks_;
  const Matches& matches_;
  const Interval window_;
  const LessWork& less_;
  std::vector<std::vector<std::uint32_t>> match_of_use_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> awaited_by_;
  std::vector<double> entered_;  // by match: when the last rank entered it in the replay
  std::vector<Event> events_;
};

}  // namespace

double replayed_gain_ns(const std::vector<RankRecord>& ranks, const Matches& matches,
                        Interval window, const LessWork& less) {
  return Replay(ranks, matches, window, less).gain();
}

}  // namespace stepscope::job
