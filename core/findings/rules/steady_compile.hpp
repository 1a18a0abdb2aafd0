// SPDX-License-Identifier: Apache-2.0
// steady_compile: code is compiled, tuned or loaded in steps behind warm-up: torch.compile meets
// new shapes, a kernel is loaded at its first launch, Triton tunes.
//
//   fires where   compiling >= least
//   compiling     the counted steps' compile_ns (host, overlaps of threads counted once) where the
//                 trace names it, else time that host.module_load owns; the longer of both
#pragma once

#include "core/findings/price.hpp"

namespace stepscope::rules {

void judge_steady_compile(Scene& scene, Findings& out);

}  // namespace stepscope::rules
