// SPDX-License-Identifier: Apache-2.0
// Frames whose return the profiler did not see.
//
// It loses the return of some C functions, such as autograd's apply in compiled code, and writes
// them as if they lasted to the end of the recording. Everything that follows then seems to happen
// in them. But no frame outlives its caller, so such a frame ends with its caller.
#pragma once

#include <cstdint>

#include "core/model/trace.hpp"

namespace stepscope::kineto {

// Returns the number of frames whose end was moved.
std::uint64_t end_with_callers(HostRanges& ranges);

}  // namespace stepscope::kineto
