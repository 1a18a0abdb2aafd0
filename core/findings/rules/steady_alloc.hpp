// SPDX-License-Identifier: Apache-2.0
// steady_alloc: memory of the device, or pinned memory, is allocated or freed by the driver in
// steps behind warm-up. PyTorch's allocator keeps what it has; calls mean that shapes change, that
// memory is short, or that somebody pins or frees by hand. cudaFree and cudaHostAlloc wait for the
// device.
//
//   fires where   idle >= least
//   idle          time that host.alloc owns, and what a host would have hidden that had not waited
//                 in the calls (run_ahead.hpp)
//   cleared       with their number where they cost less
#pragma once

#include "core/findings/price.hpp"

namespace stepscope::rules {

void judge_steady_alloc(JudgedRun& run, Findings& out);

}  // namespace stepscope::rules
