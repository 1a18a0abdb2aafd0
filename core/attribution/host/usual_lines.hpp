// SPDX-License-Identifier: Apache-2.0
// Lines for those parts of silences that no look of the sampler is close enough to. A loop comes by
// the same place again and again, and looks fall into it in proportion to the time that each line
// takes. So the lines seen at a place take turns there, each for its share.
//
// A place is the innermost range around the silence and the ranges right before and after it, by
// their names and call sites; where nothing was seen at such a place, the range around it alone,
// or the two neighbours' names. A place has pools: for the begin of a silence, its end, and a whole
// one that was not looked into; and of each for a thread that was awake, or slept.
//
// The weight of a sample is the time that it stands for and that no silence around it has taken
// from it (silences.cpp).
#pragma once

#include <array>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "core/attribution/host/threads.hpp"

namespace stepscope {

// A look may itself take the core from the thread that it looks at. So whether an awake thread ran
// or waited for a core is told by its clocks (core_waits.hpp), and no look stands for the one alone.
enum class State : std::uint8_t { awake, asleep, not_told };
inline constexpr std::size_t kStates = 2;  // without not_told

enum class Side : std::uint8_t { begin, end, whole };
inline constexpr std::size_t kSides = 3;

class UsualLines {
 public:
  UsualLines(const Trace& trace, const Threads& threads) : trace_(trace), threads_(threads) {}

  struct Place {  // the exact one, and the wider one that it is part of
    std::uint32_t exact = kNone, wide = kNone;
  };
  // Of a piece of the thread's timeline.
  Place place(ThreadId thread, std::size_t piece);

  // `row` was seen there, and stands for that much time.
  void add(Place place, Side side, State state, std::uint32_t row, double weight);

  // How much of the samples' time there the thread was in which state; by State.
  std::array<double, kStates> times(Place place, Side side) const;

  struct Turn {
    std::uint32_t row = kNone;   // kNone: nothing was seen there
    State state = State::awake;  // the other one where it was never seen in that one there
  };
  // Whose turn it is at that place for that long.
  Turn next(Place place, Side side, State state, std::int64_t ns);

 private:
  struct Line {
    std::uint32_t row;
    double weight, given;
  };
  struct Pool {
    std::vector<Line> lines;
    double weight = 0, asked = 0;
  };
  using Pools = std::array<Pool, kSides * kStates>;
  using Name = std::pair<StringId, SiteId>;
  using Key = std::tuple<ThreadId, Name, Name, Name>;

  Name name_of(RangeId range, bool with_site) const;
  std::uint32_t id_of(const Key& key);
  bool are_same(std::uint32_t row, std::uint32_t other) const;
  void add_to(Pool& pool, std::uint32_t row, double weight);
  static std::uint32_t take(Pool& pool, double ns);
  const Pools* pools_of(Place place, Side side) const;
  Turn next_of(std::uint32_t place, Side side, State state, std::int64_t ns);

  const Trace& trace_;
  const Threads& threads_;
  std::map<Key, std::uint32_t> ids_;
  std::vector<Pools> pools_;
};

}  // namespace stepscope
