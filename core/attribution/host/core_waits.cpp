// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/host/core_waits.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_map>

namespace stepscope {
namespace {

// One in so many of the pieces that are alike stays below the usual length.
constexpr std::size_t kShorter = 4;

// Parts of `whole` in proportion to `weights`, each at most its weight; they sum to the lesser of
// `whole` and all weights.
std::vector<std::int64_t> shares_of(std::int64_t whole, const std::vector<std::int64_t>& weights) {
  const std::int64_t all = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
  whole = std::min(whole, all);
  std::vector<std::int64_t> out;
  std::int64_t until = 0, given = 0;
  for (const std::int64_t weight : weights) {
    until += weight;
    const auto due =
        all == 0 ? 0 : static_cast<std::int64_t>(static_cast<__int128>(whole) * until / all);
    out.push_back(due - given);
    given = due;
  }
  return out;
}

// One thread's timeline, cut where a silence is at another line or in another state.
class WaitFinder {
 public:
  WaitFinder(const Trace& trace, const HostTimeline& work, std::vector<Silences::Stretch> silences)
      : trace_(trace), work_(work), silences_(std::move(silences)) {}

  void learn(Interval known) {
    known_ = known;
    std::unordered_map<std::uint64_t, std::vector<std::int64_t>> lengths;
    std::size_t part = 0;
    for (std::size_t i = 0; i < work_.size(); ++i) {
      const Interval time = intersect(work_.piece(i).time, known);
      if (!time.empty()) lengths[kind(i)].push_back(length_in(time, false, part));
    }
    for (auto& [kind, of_kind] : lengths) {
      const auto quarter = of_kind.begin() + static_cast<std::ptrdiff_t>(of_kind.size() / kShorter);
      std::nth_element(of_kind.begin(), quarter, of_kind.end());
      usual_[kind] = *quarter;
    }
  }

  // Stretches come in order of time.
  void place(Interval stretch, const ThreadCpu::Use& use, IntervalSet& out) {
    if (use.waited <= 0) return;
    find_portions(stretch);
    std::int64_t awake = 0;
    for (const Portion& portion : portions_) awake += portion.awake;
    std::int64_t ns = std::clamp<std::int64_t>(awake - use.ran, 0, use.waited);
    std::int64_t asleep = use.waited - ns;
    take_excess(ns);
    share(ns, false);
    share(asleep, true);
    for (const Portion& portion : portions_) write(portion, out);
  }

 private:
  struct Portion {  // the part of a piece that lies in the stretch
    Interval time;
    std::size_t first_part;  // row of silences_ that may lie in it
    std::int64_t awake, slept, excess;
    std::int64_t waits = 0, waits_asleep = 0;  // given up
  };

  // A mixed number: two kinds that share one would only be taken for one.
  std::uint64_t kind(std::size_t piece) const {
    const HostRanges& h = trace_.host_ranges();
    std::uint64_t out = 0;
    const auto mix = [&out](std::uint64_t value) {
      out = (out ^ value) * 0x9e3779b97f4a7c15ULL;
      out ^= out >> 32U;
    };
    const std::size_t first = piece == 0 ? 0 : piece - 1;
    for (std::size_t i = first; i < std::min(piece + 2, work_.size()); ++i) {
      const RangeId range = work_.piece(i).innermost;
      mix(range == kNone ? 0 : (std::uint64_t{h.name[range]} << 32U | h.site[range]) + 1);
    }
    return out;
  }

  // Returns how long the thread slept in `time`, or how long it did not. `part` moves on to the
  // first silence that may lie behind.
  std::int64_t length_in(Interval time, bool asleep, std::size_t& part) const {
    std::int64_t slept = 0;
    while (part < silences_.size() && silences_[part].time.end <= time.begin) ++part;
    for (std::size_t i = part; i < silences_.size() && silences_[i].time.begin < time.end; ++i)
      if (silences_[i].state == ThreadState::asleep)
        slept += intersect(silences_[i].time, time).length();
    return asleep ? slept : time.length() - slept;
  }

  void find_portions(Interval stretch) {
    portions_.clear();
    while (piece_ + 1 < work_.size() && work_.piece(piece_).time.end <= stretch.begin) ++piece_;
    for (std::size_t i = piece_; i < work_.size() && work_.piece(i).time.begin < stretch.end; ++i) {
      Portion portion{intersect(work_.piece(i).time, stretch), 0, 0, 0, 0};
      portion.awake = length_in(portion.time, false, part_);
      portion.slept = portion.time.length() - portion.awake;
      portion.first_part = part_;
      portion.excess = excess_of(i, portion.awake);
      portions_.push_back(portion);
    }
  }

  // A piece that lies in several stretches is as much longer in each as it is in all.
  std::int64_t excess_of(std::size_t piece, std::int64_t awake) {
    if (piece != measured_) {
      const auto usual = usual_.find(kind(piece));
      std::size_t part = part_;
      const Interval time = intersect(work_.piece(piece).time, known_);
      while (part > 0 && silences_[part - 1].time.end > time.begin) --part;
      const std::int64_t whole = length_in(time, false, part);
      measured_ = piece;
      beyond_ =
          usual == usual_.end() || whole == 0
              ? 0
              : std::max(0.0, 1 - static_cast<double>(usual->second) / static_cast<double>(whole));
    }
    return static_cast<std::int64_t>(beyond_ * static_cast<double>(awake));
  }

  void take_excess(std::int64_t& ns) {
    std::vector<std::size_t> order(portions_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
      return portions_[a].excess > portions_[b].excess;
    });
    for (const std::size_t i : order) {
      portions_[i].waits = std::min(ns, portions_[i].excess);
      ns -= portions_[i].waits;
    }
  }

  void share(std::int64_t& ns, bool asleep) {
    if (ns <= 0) return;
    std::vector<std::int64_t> room;
    for (const Portion& p : portions_) room.push_back(asleep ? p.slept : p.awake - p.waits);
    const std::vector<std::int64_t> shares = shares_of(ns, room);
    for (std::size_t i = 0; i < shares.size(); ++i) {
      (asleep ? portions_[i].waits_asleep : portions_[i].waits) += shares[i];
      ns -= shares[i];
    }
  }

  void write(const Portion& portion, IntervalSet& out) const {
    if (portion.waits + portion.waits_asleep <= 0) return;
    std::vector<Interval> parts;
    std::vector<std::int64_t> awake, slept;
    const auto add = [&](Interval time, bool asleep) {
      if (time.empty()) return;
      parts.push_back(time);
      awake.push_back(asleep ? 0 : time.length());
      slept.push_back(asleep ? time.length() : 0);
    };
    std::int64_t at = portion.time.begin;
    for (std::size_t i = portion.first_part;
         i < silences_.size() && silences_[i].time.begin < portion.time.end; ++i) {
      const Interval part = intersect(silences_[i].time, portion.time);
      if (part.empty()) continue;
      add({at, part.begin}, false);
      add(part, silences_[i].state == ThreadState::asleep);
      at = part.end;
    }
    add({at, portion.time.end}, false);
    const auto waits = shares_of(portion.waits, awake);
    const auto waits_asleep = shares_of(portion.waits_asleep, slept);
    for (std::size_t i = 0; i < parts.size(); ++i)
      append({parts[i].end - waits[i] - waits_asleep[i], parts[i].end}, out);
  }

  static void append(Interval wait, IntervalSet& out) {
    if (wait.empty()) return;
    if (!out.empty() && out.back().end == wait.begin) {
      out.back().end = wait.end;
    } else {
      out.push_back(wait);
    }
  }

  const Trace& trace_;
  const HostTimeline& work_;
  std::vector<Silences::Stretch> silences_;
  Interval known_;  // from the first sample to the last; the outer pieces have no ends of their own
  std::unordered_map<std::uint64_t, std::int64_t> usual_;
  std::vector<Portion> portions_;
  std::size_t piece_ = 0, part_ = 0;
  std::size_t measured_ = ~std::size_t{0};  // the piece that is beyond its usual length by ...
  double beyond_ = 0;                       // ... this part of it
};

}  // namespace

CoreWaits::CoreWaits(const Trace& trace, const Threads& threads, const ThreadCpu& cpu,
                     const Silences& silences)
    : waits_(trace.data().threads.size()) {
  for (ThreadId thread = 0; thread < waits_.size(); ++thread) {
    const std::vector<std::int64_t>& sample_times = cpu.sample_times(thread);
    if (sample_times.size() < 2 || trace.ranges_of(thread).size() == 0) continue;
    WaitFinder finder(trace, threads.work(thread), silences.all(thread));
    finder.learn({sample_times.front(), sample_times.back()});
    for (std::size_t i = 1; i < sample_times.size(); ++i) {
      const Interval stretch{sample_times[i - 1], sample_times[i]};
      if (const auto use = cpu.use(thread, stretch)) finder.place(stretch, *use, waits_[thread]);
    }
  }
}

CoreWaits::Stretch CoreWaits::stretch_before(ThreadId thread, std::int64_t end) const {
  const IntervalSet& waits = waits_[thread];
  const auto after =
      std::lower_bound(waits.begin(), waits.end(), end,
                       [](const Interval& wait, std::int64_t time) { return wait.begin < time; });
  if (after == waits.begin()) return {std::numeric_limits<std::int64_t>::min(), false};
  const Interval& wait = *(after - 1);
  return end <= wait.end ? Stretch{wait.begin, true} : Stretch{wait.end, false};
}

}  // namespace stepscope
