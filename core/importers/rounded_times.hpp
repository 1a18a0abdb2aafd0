// SPDX-License-Identifier: Apache-2.0
// Times that were rounded when they were written: all begins are multiples of one number, and
// lengths are not (a writer printed six digits, or 32-bit floats), so that events
// share their begins and ranges of a thread cross, or both are whole microseconds.
#pragma once

#include "core/model/trace.hpp"
#include "core/support/result.hpp"

namespace stepscope {

// Adds a note where times are off by more than the clock's own rounding. An error where more than
// twenty events begin at the same moment in the mean: their order is lost.
Status check_rounded_times(TraceData& data);

}  // namespace stepscope
