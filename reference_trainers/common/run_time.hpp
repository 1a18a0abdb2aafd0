// SPDX-License-Identifier: Apache-2.0
// How long a piece of work takes, for programs that plant so many milliseconds of it.
#pragma once

#include <c10/core/Device.h>

#include <functional>

namespace stepscope::trainers {

// Returns the milliseconds that a run of the work takes where many are queued one behind the other:
// the median of five tries of at least 20 ms each. A device's clocks are up by then.
double ms_a_run(at::Device device, const std::function<void()>& work);

}  // namespace stepscope::trainers
