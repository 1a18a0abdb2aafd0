// SPDX-License-Identifier: Apache-2.0
// Is the device's clock the host's? Old profilers (PyTorch 1.13, 2.0) map device times to the
// host's with an error of up to milliseconds, and then nothing that waits for the device makes
// sense: operations seem to have been ready long before they ran.
//
// Two things cannot be: an operation that begins before its launch (the device's clock is early),
// and a wait that returns before what it awaits has ended (it is late). Where that is so of many,
// all device times are moved by one amount, the least that makes them possible.
#pragma once

#include <cstdint>
#include <vector>

#include "core/model/trace.hpp"

namespace stepscope {

// The rows are in the order of trace.hpp; `launch_of` is what link_launches says. Records that are
// `wrong` themselves (device_places.hpp, overrunning_ops) say nothing of the clock.

// Nanoseconds by which device times were moved; 0 and no note where the clocks agree.
std::int64_t mend_device_clock(TraceData& data, const std::vector<CallId>& launch_of,
                               const std::vector<bool>& wrong);

// A clock that drifts or jumps is put right by no single amount: a note says what is still
// impossible.
void note_clock_that_drifts(TraceData& data, const std::vector<CallId>& launch_of,
                            const std::vector<bool>& wrong);

}  // namespace stepscope
