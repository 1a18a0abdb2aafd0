// SPDX-License-Identifier: Apache-2.0
// A loop of an optimizer that goes over from one kind of step to another for good: two loops, one
// after the other, of which neither has a mark of its own.
//
// Kinds are those of turns.hpp: other scope, other work (of which neither contains the other's), or
// another number of backward nodes. Kinds count whose steps lie together and are at least
// kFewestOfKind; a loop that is not nearly all of such kinds is one.
//
// Steps that one line of the program makes, of the same operations in another number, are of one
// loop: a curriculum's sequences grow, and a recurrent layer runs more often.
#pragma once

#include <vector>

#include "core/steps/finders/loop.hpp"

namespace stepscope {

inline constexpr std::size_t kFewestOfKind = 10;

// The loop itself where it does not change; in order of time.
std::vector<Loop> split_at_changes(const Activity& activity, const Loop& loop);

}  // namespace stepscope
