// SPDX-License-Identifier: Apache-2.0
// Whether the steps of two runs are the same share of what a loop of the program does.
//
//   for it in range(60):          A: 16 steps an iteration; B, with larger mini-batches: 8
//       rollout()                 shared by 16 steps in A, by 8 in B
//       for batch in batches:     a step is an iteration of this loop
//           update(batch)
//
// A step of B holds twice as much of the rollout, so that the two step times say nothing about the
// change. Lines and names may have changed, so loops are paired by their place: the steps' own loop, the
// one around it, and so on, where both sides have as many; else by their lines, if these are unchanged.
// Epochs that do nothing but their batches share nothing.
#pragma once

#include <string>

#include "core/steps/steps.hpp"

namespace stepscope::compare_parts {

// Says why they are not, and what to compare instead; empty where nothing says so, as where the steps
// were found in another way.
std::string why_steps_share_otherwise(const Steps& a, const Steps& b);

}  // namespace stepscope::compare_parts
