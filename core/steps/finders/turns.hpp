// SPDX-License-Identifier: Apache-2.0
// Optimizer steps that make one iteration together: they follow each other in a cycle.
//
// A turn is an optimizer's scope with the work before it. Two turns are of one kind if one
// line steps their optimizers, and both or neither have a fetch of their own. Where lines are not
// known they have the same name, about as many backward nodes, and alike work: in the scope, but for
// the state that an optimizer's first step makes, and in the stretch, of which one may add to the
// other (an evaluation). The iteration is the shortest cycle of kinds:
//
//   discriminator, generator          a cycle of two
//   five critics, one generator       a cycle of six
//   k steps on one fetched batch      a cycle of k
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "core/steps/activity.hpp"

namespace stepscope {

struct Turn {
  std::string_view name;
  SiteId line = kNone;   // where it is called; kNone: not known
  Interval scope;        // the optimizer's own scope, or those of several back to back
  Interval stretch;      // from the end of the turn before to the end of the scope
  bool fetches = false;  // a batch of its own
};

struct Cycle {
  std::size_t turns = 1;
  bool repeats_a_kind = false;  // so it may be several iterations, the last of which does more
};

// Returns the shortest cycle of at most kLongestCycle that holds for nine tenths of the run. The
// first turn is left aside: it may hold the program's start and the making of optimizer state.
inline constexpr std::size_t kLongestCycle = 16;
Cycle cycle_of(const Activity& activity, const std::vector<Turn>& turns);

}  // namespace stepscope
