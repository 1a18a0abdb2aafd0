// SPDX-License-Identifier: Apache-2.0
// Is the device's clock the host's? Old profilers (PyTorch 1.13, 2.0) map device times to the
// host's with an error of up to milliseconds, and then nothing that waits for the device makes
// sense: operations seem to have been ready long before they ran.
//
// Two things cannot be: an operation that begins before its launch (the device's clock is early),
// and a wait that returns before what it awaits has ended (it is late). Where that is so of many,
// all device times are moved by one amount, the least that makes them possible.
#pragma once

#include "core/model/trace.hpp"

namespace stepscope::kineto {

// Nanoseconds by which device times were moved; 0 and no note where the clocks agree.
std::int64_t mend_device_clock(TraceData& data);

}  // namespace stepscope::kineto
