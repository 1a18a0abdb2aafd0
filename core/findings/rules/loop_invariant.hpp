// SPDX-License-Identifier: Apache-2.0
// loop_invariant: a line builds the same constant on the device in every step: a causal mask,
// position indices, an identity matrix.
//
//   a candidate   a line (or, where only frames were recorded, a function) that launches a kernel
//                 which takes no input tensor (arange, eye, linspace) or makes a triangle (triu,
//                 tril), as often in each step, and nothing but element-wise kernels beside it
//   fires where   time that these lines own in the partition >= least; severity `info`: that the
//                 result is the same each time is not in the trace
//   cleared       with what it costs otherwise
#pragma once

#include "core/findings/price.hpp"

namespace stepscope::rules {

void judge_loop_invariant(JudgedRun& run, Findings& out);

}  // namespace stepscope::rules
