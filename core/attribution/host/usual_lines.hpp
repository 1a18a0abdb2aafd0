// SPDX-License-Identifier: Apache-2.0
// Chooses lines for those parts of silences that no sample is close enough to. A loop comes by the
// same place again and again, and samples fall into it in proportion to the time that each line
// takes. So the lines seen at a place are used in rotation, each for its share of the time.
//
// A place is the innermost range around the silence and the ranges right before and after it, by
// their names and call sites; where nothing was seen at such a place, the range around it alone, or
// the two neighbours' names. A place has pools: for the begin of a silence, for its end, and for a
// whole silence without samples; and each of them once for a thread that was awake and once for one
// that slept.
//
// A short silence is spent on the way to the next call, as a rule, and a few looks would give all of a
// place's time to chance. So it takes the line of a look only where a place was looked into often,
// and never between two nodes of a backward pass, which no line of Python separates.
//
// The weight of a sample is the time that it stands for and that no silence around it has used up
// (silences.cpp).
#pragma once

#include <array>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "core/attribution/host/threads.hpp"

namespace stepscope {

// A sampler may itself take the core from the thread that it reads. So the thread's clocks, not a
// sample, decide whether an awake thread ran or waited for a core (core_waits.hpp).
enum class ThreadState : std::uint8_t { awake, asleep, unknown };
inline constexpr std::size_t kThreadStates = 2;  // without unknown

enum class SilencePart : std::uint8_t { begin, end, whole };
inline constexpr std::size_t kSilenceParts = 3;

class UsualLines {
 public:
  UsualLines(const Trace& trace, const Threads& threads) : trace_(trace), threads_(threads) {}

  struct Place {  // the exact one, and the wider one that it is part of
    std::uint32_t exact = kNone, wide = kNone;
    bool between_nodes = false;
  };
  // Returns the place of a piece of the thread's timeline.
  Place place(ThreadId thread, std::size_t piece);

  // Counts a sample that was taken at `place`, however many parts of the silence it stands for.
  void count_look(Place place);

  // Records that `row` was seen at `place`, and how much time it stands for.
  void add(Place place, SilencePart side, ThreadState state, std::uint32_t row, double weight);

  // Returns whether the lines seen there tell also of silences that are short.
  bool is_well_known(Place place) const;

  // Returns for how much time the samples of a place stand, by state.
  std::array<double, kThreadStates> times(Place place, SilencePart side) const;

  struct SampledLine {
    std::uint32_t row = kNone;  // kNone: nothing was seen there
    ThreadState state =
        ThreadState::awake;  // the other one where it was never seen in that one there
  };
  // Returns the line that is next in the rotation at that place, and uses it up for `ns`.
  SampledLine next_line(Place place, SilencePart side, ThreadState state, std::int64_t ns);

 private:
  struct Line {
    std::uint32_t row;
    double weight, given;
  };
  struct Pool {
    std::vector<Line> lines;
    double weight = 0, asked = 0;
  };
  using Pools = std::array<Pool, kSilenceParts * kThreadStates>;
  using Name = std::pair<StringId, SiteId>;
  using Key = std::tuple<ThreadId, Name, Name, Name>;

  Name name_of(RangeId range, bool with_site) const;
  std::uint32_t id_of(const Key& key);
  bool are_same(std::uint32_t row, std::uint32_t other) const;
  void add_to(Pool& pool, std::uint32_t row, double weight);
  static std::uint32_t take(Pool& pool, double ns);
  const Pools* pools_of(Place place, SilencePart side) const;
  SampledLine next_line_of(std::uint32_t place, SilencePart side, ThreadState state,
                           std::int64_t ns);

  const Trace& trace_;
  const Threads& threads_;
  std::map<Key, std::uint32_t> ids_;
  std::vector<Pools> pools_;
  std::vector<std::uint32_t> looks_;  // by place
};

}  // namespace stepscope
