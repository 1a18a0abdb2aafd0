// SPDX-License-Identifier: Apache-2.0
// What a Kineto trace is mended by once it is read.
#pragma once

#include <cstdint>

#include "core/model/trace.hpp"

namespace stepscope::kineto {

// Ranges whose length is that of a counter which overflowed: nothing else of the trace reaches as
// far. Where such a range ended is not known.

// Takes their length; returns how many there were.
std::uint64_t close_open_ranges(TraceData& data);

// Frames whose return the profiler did not see.
//
// It loses the return of some C functions, such as autograd's apply in compiled code, and writes
// them as if they lasted to the end of the recording. Everything that follows then seems to happen
// in them. But no frame outlives its caller, so such a frame ends with its caller.

// Returns the number of frames whose end was moved.
std::uint64_t end_with_callers(HostRanges& ranges);

}  // namespace stepscope::kineto
