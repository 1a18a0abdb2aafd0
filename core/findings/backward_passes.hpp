// SPDX-License-Identifier: Apache-2.0
// This finds work that a pass of autograd's engine does again, though an earlier pass of the step could
// have done it along with its own.
//
//   pass       outermost nodes that a thread runs one after another, of falling numbers: the engine takes
//              the node with the highest number of those that are ready, and what a node makes ready was
//              made before it. AccumulateGrad, which has no number, belongs to the pass of the node
//              before it
//   mergeable  with an earlier pass of the thread and step, of which it runs no node that was made in it
//              (second derivatives need both), without an optimizer's step between them:
//     sums     both accumulate gradients: their losses can be added
//     inputs   both run the same nodes, but for a sum at the begin of each, and accumulate none:
//              torch.autograd.grad takes several inputs
//   again      from the begin of a node that an earlier pass of these ran, or that was made in such time,
//              to the begin of the pass's next node, or to its own end
// Times are int64 nanoseconds of the trace, of all steps; passes and callers are those of counted steps.
#pragma once

#include <array>
#include <cstdint>
#include <set>

#include "core/findings/judged_run.hpp"

namespace stepscope::rules {

enum class Mergeable : std::uint8_t { sums, inputs };
inline constexpr std::size_t kMergeableKinds = 2;

struct BackwardAgain {
  IntervalSet times;  // ascending, apart from each other
  std::uint64_t passes = 0;
  std::set<SiteId> callers;  // lines that asked for these passes, where they are known
};

// By Mergeable.
std::array<BackwardAgain, kMergeableKinds> backward_again(const JudgedRun& run);

}  // namespace stepscope::rules
