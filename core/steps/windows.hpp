// SPDX-License-Identifier: Apache-2.0
// Windows: the stretches of wall time that steps own, on host and device together.
//
// Work of step k: the device ops whose launch call began before the host end of step k and not
// before that of step k-1, by any thread of the process, on any of its devices. An op without a
// launch record goes with the op before it in its stream, and with the step that it begins in where
// most ops of the stream have none. So what is launched between two marks
// belongs to the later step.
//   end k    = max(host end of k, last end of its work, end k-1)
//   begin k  = end k-1
//   begin 0  = max(host begin of 0, last end of earlier work still on the device: ops without a
//              launch record at the head of their stream, ops launched before step 0),
//              at most end 0
//
// Prefetch does not count as work that extends a step: the ops of a side stream (one that is not
// its device's stream with the most kernels) on which copies and sets take most of the time. This
// needs no event waits: had an op of this step's own stream waited for the copy, that op would have
// ended later than the copy, and a host that waited would have ended later; so a copy that would
// extend the step is one for which nothing in the step waits. For the same reason a kernel of a
// side stream that outlasts the whole next step (a persistent one, a collective beside the loop)
// extends none.
//
// wall_known of the last step is false where its marks say that it is not complete, or its last
// kernel launches have no device record although those of other steps do.
#pragma once

#include "core/steps/steps.hpp"

namespace stepscope {

// Fills window and wall_known of steps.list from the host times there.
void place_windows(const Trace& trace, Steps& steps, bool last_complete);

// The stream with the most kernels of its device, others, and streams of which no op extends a step.
enum class StreamRole : std::uint8_t { main, side, prefetch };
std::vector<StreamRole> stream_roles(const Trace& trace);  // by StreamId

}  // namespace stepscope
