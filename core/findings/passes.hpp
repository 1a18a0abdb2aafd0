// SPDX-License-Identifier: Apache-2.0
// Where the same part of the program runs again and again in a step: in the operations on the thread of
// its loop, or in the launches that it makes.
//
// Two sources say where passes begin:
//   loops     the program's own loops, as the recorder noted them: an iteration is a pass, whatever its
//             operations are
//   repeats   operations that come at the same lines in the same order again and again (repeats.hpp):
//             where no loop was noted, and for loops of a library
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/findings/judged_run.hpp"
#include "core/findings/repeats.hpp"

namespace stepscope::rules {

// Passes one behind another, as places in a sequence of items. Invariant: `begins` ascend and are below
// `end`.
struct PassStretch {
  std::vector<std::size_t> begins;
  std::size_t end = 0;

  std::size_t times() const { return begins.size(); }
  std::size_t items() const { return end - begins.front(); }
};

struct Passes {
  SiteId loop = kNone;  // the first line of the program's loop; kNone: seen in the operations alone
  std::vector<PassStretch> stretches;
};

// Returns for each loop that was noted its iterations with items, where at least `times` come in a row.
// `begins`: when each item began, ascending.
std::vector<Passes> loops_in(const JudgedRun& run, Interval step,
                             std::span<const std::int64_t> begins, std::size_t times);

// How often passes run in one step, and how long.
struct PassesInStep {
  std::uint64_t times = 0;
  std::int64_t ns = 0;
};
// Returns the iterations of a noted loop in each step, by its row; nothing of steps that do not count.
std::vector<PassesInStep> loop_by_step(const JudgedRun& run, SiteId loop);
// Returns the same of passes that were seen in the operations of one step, `row`, alone: in other steps
// they are to the operations at their lines (ascending) what they are there. A step with fewer than
// `least` has none.
std::vector<PassesInStep> repeats_by_step(const JudgedRun& run, const std::vector<SiteId>& lines,
                                          std::uint32_t row, std::uint64_t times,
                                          std::size_t least);

// Returns the longest repeats (repeats.hpp) and all like them; without stretches where there are none.
template <class Item>
Passes repeats_in(std::span<const Item> all, std::size_t times) {
  Passes out;
  const Repeats longest = longest_repeats(all, times);
  if (longest.times() < times) return out;
  for (const Repeats& one : all_like(all, longest, times)) {
    PassStretch& stretch = out.stretches.emplace_back();
    for (std::size_t pass = 0; pass < one.times(); ++pass)
      stretch.begins.push_back(one.begin + pass * one.period);
    stretch.end = one.begin + one.length;
  }
  return out;
}

struct PassOperation {
  StringId name = 0;
  SiteId site = kNone;
  Interval time;
  bool communicates = false;  // no pass over all inputs takes its place

  bool same_as(const PassOperation& other) const {
    return !communicates && !other.communicates && name == other.name && site == other.site;
  }
};

struct StepOperations {
  std::vector<PassOperation> outermost;  // those with a line, without the backward pass
  std::vector<std::int64_t> sums;        // when the backward pass summed a gradient
  std::vector<std::int64_t> updates;     // when the optimizer worked
};

// Returns the operations of the loop's thread in that time, without those that make a loader's batch.
StepOperations operations_in(const JudgedRun& run, Interval step);

// Returns what comes at least `times` times in a row somewhere in the step, as places in `outermost`: the
// loops that were noted, and the repeats that cover most. None of them communicates.
std::vector<Passes> passes_in(const JudgedRun& run, Interval step, const StepOperations& operations,
                              std::size_t times);

}  // namespace stepscope::rules
