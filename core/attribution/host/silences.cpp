// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/host/silences.hpp"

#include <algorithm>
#include <limits>

namespace stepscope {
namespace {

// A state that took less than 1 / kLeastPart of a stretch is noise of the clocks and gets no time.
constexpr std::int64_t kLeastPart = 20;
// The least weight of a sample at its place: silences may have used up all the time that it stands
// for.
constexpr double kLeastWeight = 1e-3;

ThreadState state_in(std::uint8_t flags) {
  switch (flags & kSampleStateMask) {
    case kSampleRan:
    case kSampleWaits:
      return ThreadState::awake;
    case kSampleSlept:
      return ThreadState::asleep;
    default:
      return ThreadState::unknown;
  }
}

// Time in an unknown state counts as awake.
ThreadState counted_as(ThreadState state) {
  return state == ThreadState::asleep ? ThreadState::asleep : ThreadState::awake;
}

using Parts = std::array<std::int64_t, kThreadStates>;  // by ThreadState

Parts parts_of(const ThreadCpu::Use& use) {
  return {use.ran + use.waited, use.slept};
}

// Gives a state's small part to the other state.
Parts without_small(Parts parts) {
  const std::int64_t length = parts[0] + parts[1];
  if (parts[0] * kLeastPart < length) return {0, length};
  if (parts[1] * kLeastPart < length) return {length, 0};
  return parts;
}

std::int64_t time_in(ThreadState state, const ThreadCpu::Use& use) {
  return state == ThreadState::asleep ? use.slept : use.ran + use.waited;
}

ThreadState mostly(const std::optional<ThreadCpu::Use>& use) {
  if (!use) return ThreadState::unknown;
  return use->ran + use->waited >= use->slept ? ThreadState::awake : ThreadState::asleep;
}

}  // namespace

// Fills the silences of one thread. First, the time that each sample stands for outside its silence
// goes to the pools of its place; then the silences are filled in order of time.
class Silences::Filler {
 public:
  Filler(const Trace& trace, const Threads& threads, const ThreadCpu& cpu, ThreadId thread,
         Rows rows, std::vector<Start>& out)
      : samples_(trace.data().samples),
        work_(threads.work(thread)),
        cpu_(cpu),
        usual_(trace, threads),
        thread_(thread),
        rows_(rows),
        limits_{trace.begin(), trace.end()},
        out_(out) {
    for (std::uint32_t row = rows.begin; row < rows.end; ++row)
      tells_ = tells_ || state_in(samples_.flags[row]) != ThreadState::unknown;
    find_silences(trace);
  }

  void fill() {
    compare_with_clocks();
    for (const Silence& silence : silences_) weigh(silence);
    for (const Silence& silence : silences_) {
      fill(silence);
      push(silence.time.end, kNone, ThreadState::unknown, false);
    }
  }

 private:
  struct Silence {
    Interval time;
    Rows rows;  // in it
    UsualLines::Place place;
  };

  void find_silences(const Trace& trace) {
    std::uint32_t row = rows_.begin;
    for (std::size_t i = 0; i < work_.size(); ++i) {
      const Piece piece = work_.piece(i);
      Silence silence{intersect(piece.time, limits_), {row, row}, {}};
      while (row < rows_.end && samples_.time[row] < piece.time.end) ++row;
      silence.rows.end = row;
      const HostFamily around = piece.innermost == kNone
                                    ? HostFamily::other
                                    : family_of(trace.host_ranges().kind[piece.innermost]);
      if (around == HostFamily::api || around == HostFamily::op || silence.time.empty()) continue;
      silence.place = usual_.place(thread_, i);
      silences_.push_back(silence);
    }
  }

  bool is_in(const Silence& silence, std::uint32_t row) const {
    return row >= silence.rows.begin && row < silence.rows.end;
  }

  // Returns the use of the time between two samples that follow each other.
  std::optional<ThreadCpu::Use> use_between(std::uint32_t first, std::uint32_t second) const {
    return cpu_.use(thread_, {samples_.time[first], samples_.time[second]});
  }

  // Returns how much of the time between two samples `row`, which is one of them, stands for.
  double stands_for(std::uint32_t row, std::uint32_t first, std::uint32_t second) const {
    const auto use = use_between(first, second);
    if (!use) return 0;
    const auto part = static_cast<double>(time_in(state_in(samples_.flags[row]), *use));
    const bool shared =
        counted_as(state_in(samples_.flags[first])) == counted_as(state_in(samples_.flags[second]));
    return shared ? part / 2 : part;
  }

  // Learns by which factor samples underestimate each state: a stretch between two samples may hold
  // time in a state in which neither was taken, so samples stand for less time than the clocks
  // count.
  void compare_with_clocks() {
    std::array<double, kThreadStates> counted{}, stood_for{};
    for (std::uint32_t row = rows_.begin; row + 1 < rows_.end; ++row) {
      const auto use = use_between(row, row + 1);
      if (!use || state_in(samples_.flags[row]) == ThreadState::unknown ||
          state_in(samples_.flags[row + 1]) == ThreadState::unknown)
        continue;
      for (const ThreadState state : {ThreadState::awake, ThreadState::asleep})
        counted[static_cast<std::size_t>(state)] += static_cast<double>(time_in(state, *use));
      for (const std::uint32_t one : {row, row + 1})
        stood_for[static_cast<std::size_t>(state_in(samples_.flags[one]))] +=
            stands_for(one, row, row + 1);
    }
    for (std::size_t i = 0; i < kThreadStates; ++i)
      missed_[i] = stood_for[i] > 0 ? std::max(1.0, counted[i] / stood_for[i]) : 1;
  }

  // Returns the parts that are usual at this place, for a time that is short beside the distance of
  // the samples around it: there the clocks say little, and other visits to the place say more.
  std::optional<Parts> usual_parts(const Silence& silence, Interval time, SilencePart side) const {
    const std::uint32_t before =
        side == SilencePart::end ? silence.rows.end - 1 : silence.rows.begin - 1;
    const std::uint32_t after = side == SilencePart::begin ? silence.rows.begin : silence.rows.end;
    const bool is_between =
        after < rows_.end && (side == SilencePart::end || silence.rows.begin > rows_.begin);
    if (!is_between || 2 * time.length() >= samples_.time[after] - samples_.time[before])
      return std::nullopt;
    const std::array<double, kThreadStates> usual = usual_.times(silence.place, side);
    const double awake = usual[0] * missed_[0], asleep = usual[1] * missed_[1];
    if (awake + asleep <= 0 || !use_between(before, after)) return std::nullopt;
    const auto length = static_cast<double>(time.length());
    Parts parts{0, static_cast<std::int64_t>(asleep / (awake + asleep) * length)};
    parts[0] = time.length() - parts[1];
    return parts;
  }

  void weigh(const Silence& silence) {
    for (std::uint32_t row = silence.rows.begin; row < silence.rows.end; ++row) {
      const ThreadState state = state_in(samples_.flags[row]);
      usual_.count_look(silence.place);
      if (state == ThreadState::unknown) {
        const Interval held = held_by(silence, row);
        usual_.add(silence.place, SilencePart::whole, counted_as(mostly(cpu_.use(thread_, held))),
                   row, std::max(kLeastWeight, static_cast<double>(held.length())));
        continue;
      }
      const bool is_first = row == silence.rows.begin, is_last = row + 1 == silence.rows.end;
      const double before = is_first && row > rows_.begin ? stands_for(row, row - 1, row) : 0;
      const double after = is_last && row + 1 < rows_.end ? stands_for(row, row, row + 1) : 0;
      if (is_first)
        usual_.add(silence.place, SilencePart::begin, state, row, before + kLeastWeight);
      if (is_last) usual_.add(silence.place, SilencePart::end, state, row, after + kLeastWeight);
      if (!is_first && !is_last)
        usual_.add(silence.place, SilencePart::whole, state, row, kLeastWeight);
    }
  }

  void fill(const Silence& silence) {
    const Rows rows = silence.rows;
    if (!tells_ && rows.size() > 0) return fill_by_order(silence);
    if (rows.size() == 0) return fill_usual(silence, silence.time, SilencePart::whole);
    const std::int64_t first =
        std::clamp(samples_.time[rows.begin], silence.time.begin, silence.time.end);
    const std::int64_t last = std::clamp(samples_.time[rows.end - 1], first, silence.time.end);
    fill_usual(silence, {silence.time.begin, first}, SilencePart::begin);
    for (std::uint32_t row = rows.begin; row + 1 < rows.end; ++row) fill_between(silence, row);
    fill_usual(silence, {last, silence.time.end}, SilencePart::end);
  }

  Interval held_by(const Silence& silence, std::uint32_t row) const {
    return {row == silence.rows.begin ? silence.time.begin : samples_.time[row],
            row + 1 == silence.rows.end ? silence.time.end : samples_.time[row + 1]};
  }

  void fill_by_order(const Silence& silence) {
    for (std::uint32_t row = silence.rows.begin; row < silence.rows.end; ++row) {
      const Interval held = held_by(silence, row);
      push(held.begin, row, mostly(cpu_.use(thread_, held)), true);
    }
  }

  void fill_usual(const Silence& silence, Interval time, SilencePart side) {
    if (time.length() <= 0) return;
    const bool is_seen = silence.rows.size() > 0;
    const auto use = cpu_.use(thread_, time);
    if (!use && is_seen) {  // before the thread's first sample, or behind its last one
      const std::uint32_t row =
          side == SilencePart::begin ? silence.rows.begin : silence.rows.end - 1;
      return push(time.begin, row, state_in(samples_.flags[row]), true);
    }
    std::int64_t at = time.begin;
    const auto add = [&](ThreadState state, std::int64_t length) {
      if (length <= 0) return;
      const UsualLines::SampledLine line = usual_.next_line(silence.place, side, state, length);
      // Where the thread was never seen in that state there, what it was seen doing.
      push(at, line.row, use ? line.state : ThreadState::unknown, is_seen && line.row != kNone,
           usual_.is_well_known(silence.place));
      at += length;
    };
    if (!use) return add(ThreadState::awake, time.length());
    const Parts parts = without_small(usual_parts(silence, time, side).value_or(parts_of(*use)));
    for (const ThreadState state : {ThreadState::asleep, ThreadState::awake})
      add(state, parts[static_cast<std::size_t>(state)]);
  }

  // Fills the time from `row` to the next sample.
  void fill_between(const Silence& silence, std::uint32_t row) {
    const std::uint32_t next = row + 1;
    const Interval time{samples_.time[row], samples_.time[next]};
    const ThreadState here = counted_as(state_in(samples_.flags[row]));
    const ThreadState there = counted_as(state_in(samples_.flags[next]));
    const auto use = use_between(row, next);
    if (time.length() <= 0) return;
    if (!use) return push(time.begin, row, ThreadState::unknown, true);
    Parts first{}, second{}, neither{};
    const Parts parts = without_small(parts_of(*use));
    for (std::size_t i = 0; i < kThreadStates; ++i) {
      const auto state = static_cast<ThreadState>(i);
      const bool is_here = here == state, is_there = there == state;
      first[i] = is_here ? parts[i] / (is_there ? 2 : 1) : 0;
      second[i] = is_there ? parts[i] - first[i] : 0;
      neither[i] = parts[i] - first[i] - second[i];
    }
    std::int64_t at = time.begin;
    const auto add_all = [&](const Parts& all, auto row_of) {
      for (const ThreadState state : {ThreadState::asleep, ThreadState::awake}) {
        const std::int64_t length = all[static_cast<std::size_t>(state)];
        if (length <= 0) continue;
        push(at, row_of(state, length), state, true);
        at += length;
      }
    };
    add_all(first, [row](ThreadState, std::int64_t) { return row; });
    add_all(neither, [&](ThreadState state, std::int64_t length) {
      const std::uint32_t usual =
          usual_.next_line(silence.place, SilencePart::whole, state, length).row;
      return usual == kNone ? row : usual;
    });
    add_all(second, [next](ThreadState, std::int64_t) { return next; });
  }

  void push(std::int64_t begin, std::uint32_t row, ThreadState state, bool is_seen,
            bool is_known = true) {
    if (!out_.empty() && out_.back().begin == begin) out_.pop_back();
    if (!out_.empty() && out_.back().row == row && out_.back().state == state &&
        out_.back().is_seen == is_seen && out_.back().is_known == (is_seen || is_known))
      return;
    out_.push_back({begin, row, state, is_seen, is_seen || is_known});
  }

  const Samples& samples_;
  const HostTimeline& work_;
  const ThreadCpu& cpu_;
  UsualLines usual_;
  ThreadId thread_;
  Rows rows_;
  Interval limits_;
  std::vector<Start>& out_;
  std::vector<Silence> silences_;
  std::array<double, kThreadStates> missed_{1, 1};
  bool tells_ = false;
};

Silences::Silences(const Trace& trace, const Threads& threads, const ThreadCpu& cpu)
    : stretches_(trace.data().threads.size()) {
  const Samples& samples = trace.data().samples;
  for (std::uint32_t row = 0; row < samples.size();) {
    const ThreadId thread = samples.thread[row];
    const std::uint32_t begin = row;
    while (row < samples.size() && samples.thread[row] == thread) ++row;
    const bool has_records = trace.ranges_of(thread).size() > 0;
    if (!has_records) continue;  // a worker of a loader, as a rule
    Filler(trace, threads, cpu, thread, {begin, row}, stretches_[thread]).fill();
  }
}

Silences::Stretch Silences::stretch_before(ThreadId thread, Interval silence,
                                           std::int64_t t) const {
  const std::vector<Start>& all = stretches_[thread];
  const auto after = std::lower_bound(
      all.begin(), all.end(), t, [](const Start& s, std::int64_t time) { return s.begin < time; });
  if (after == all.begin()) return {silence};
  const Start& start = *(after - 1);
  const std::int64_t end =
      after == all.end() ? std::numeric_limits<std::int64_t>::max() : after->begin;
  return {intersect({start.begin, end}, silence), start.row, start.state, start.is_seen,
          start.is_known};
}

// Returns the stretches of all silences. In starts, a silence is followed by a start without a row.
std::vector<Silences::Stretch> Silences::all(ThreadId thread) const {
  std::vector<Stretch> out;
  const std::vector<Start>& starts = stretches_[thread];
  for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
    const Start& start = starts[i];
    if (start.row != kNone || start.state != ThreadState::unknown)
      out.push_back({{start.begin, starts[i + 1].begin},
                     start.row,
                     start.state,
                     start.is_seen,
                     start.is_known});
  }
  return out;
}

}  // namespace stepscope
