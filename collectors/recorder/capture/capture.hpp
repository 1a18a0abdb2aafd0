// SPDX-License-Identifier: Apache-2.0
// The gate between hooks and rings, where a plan says when to record (capture_plan.hpp).
//
//   none    no plan: everything is taken, and hooks pay one load for asking
//   open    taken; step marks are counted
//   closed  step marks alone are taken, everything else is passed by without a trace
//
// A thread of the program closes the gate at once, the writer thread switches the device's
// collection off; it opens only when the writer thread has switched that on. The thread that asked
// waits for both: what follows an opening is recorded, and a thread that is in a CUDA call while
// CUPTI's callbacks go off never leaves it for CUPTI, which gives all its later work one
// correlation id (13.0, measured). For the same reason a change that no thread asked for (a signal,
// a time) waits a little for one that comes by. Begins and ends stay in step: a begin at a closed
// gate takes its end along.
//
// In the file, counter kCaptureTrack is 0 from each closing and 1 from each opening on.
#pragma once

#include <atomic>
#include <cstdint>

#include "collectors/recorder/capture/capture_plan.hpp"
#include "collectors/recorder/live_files/shared_layout.hpp"
#include "collectors/recorder/recorder.hpp"

namespace stepscope::recorder {

enum class Gate : std::uint32_t { none, open, closed };

extern constinit std::atomic<Gate> gate;
inline Gate gate_state() noexcept {
  return gate.load(std::memory_order_relaxed);
}

// Sets the plan before the first event. `range`: ranges of this name (of push and pop, or
// record_function) are the trigger; null: none. It is kept.
void plan_capture(const CapturePlan& plan, const char* range) noexcept;

// A trigger; from any thread, not from a signal handler.
void trigger_capture(bool on) noexcept;
// The other way round at the writer's next look; for signal handlers.
void toggle_capture_soon() noexcept;

// The slow part of begin_range and end_range, where there is a plan. False: not taken.
bool passes_gate(RingHeader& ring, std::uint16_t lane, NameId name, SiteRef site) noexcept;
// `depth` of the range that ended.
void after_end(RingHeader& ring, std::uint16_t lane, std::uint32_t depth) noexcept;

// Writer thread. What is to be done now; each change is given once. `ends`: there is no later call.
struct CaptureChange {
  bool close = false;  // closes what was open, at close_ticks
  bool open = false;
  bool put_off = false;  // nothing now, although the gate is closed already
  std::uint64_t close_ticks = 0;
};
CaptureChange next_capture_change(bool ends) noexcept;
void capture_is_open() noexcept;    // the device is collected again
void capture_is_closed() noexcept;  // and no more

// Returns, after the last change, why the plan was not carried out (begins with kNothingRecorded),
// or null.
const char* unmet_plan() noexcept;

// A forked child begins anew.
void restart_capture() noexcept;

}  // namespace stepscope::recorder
