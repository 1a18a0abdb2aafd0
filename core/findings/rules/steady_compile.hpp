// SPDX-License-Identifier: Apache-2.0
// steady_compile: code is compiled, tuned or loaded in steps behind warm-up: torch.compile meets
// new shapes, a kernel is loaded at its first launch, Triton tunes.
//
//   fires where   idle >= least, in two counted steps or more
//   idle          time that host.module_load owns, and other idle time of the device in which the
//                 host compiles (core/steps/compilation.hpp): compiling that hides behind queued
//                 work costs nothing
//   one step      alone is cleared with its cost: it is late warm-up, and does not come again
#pragma once

#include "core/findings/price.hpp"

namespace stepscope::rules {

void judge_steady_compile(JudgedRun& run, Findings& out);

}  // namespace stepscope::rules
