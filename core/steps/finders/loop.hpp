// SPDX-License-Identifier: Apache-2.0
// What a step finder returns: the iterations of one loop as the host saw them. A finder is a
// function from a process's activity to a loop; one file pair each, listed in order of preference
// in all_finders.cpp. Invariant: steps are in time order and their ends do not decrease. Work
// between two steps belongs to the later one, since windows tile (windows.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/steps/activity.hpp"
#include "core/steps/steps.hpp"

namespace stepscope {

struct HostStep {
  std::int64_t id = 0;
  Interval time;
};

struct Loop {
  FoundBy found_by = FoundBy::none;
  double confidence = 0;  // 0: this finder found nothing
  std::string how;
  ThreadId thread = 0;
  std::vector<HostStep> steps;
  bool evaluates = false;     // by the name of what runs
  bool divides = true;        // false: marks of which one holds nearly all of the work
  bool last_complete = true;  // false: the trace ends in the middle of the last step
  std::vector<std::string> notes;
  // The same stretch divided in another way: tokens in place of calls of `generate`, a GAN's
  // optimizer steps in place of its iterations. `how` says what its steps are.
  std::vector<Loop> others;

  bool found() const { return !steps.empty(); }
  Interval time() const;  // from the first step's begin to the last one's end
};

using Finder = Loop (*)(const Activity&);

// Returns the finders in order of preference; the user's own marker is not among them
// (user_marker.hpp).
std::span<const Finder> all_finders();

// The first that is good enough, else the surest. whole_trace always finds one step.
Loop find_loop(const Activity& activity);

}  // namespace stepscope
