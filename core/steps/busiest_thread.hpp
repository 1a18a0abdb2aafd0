// SPDX-License-Identifier: Apache-2.0
// The process's thread with the most ranges: what a loop without marks is taken to run on. A
// process of which only the device's work was recorded has a thread, too (Trace::build).
#pragma once

#include "core/model/trace.hpp"

namespace stepscope {

ThreadId busiest_thread(const Trace& trace, ProcessId process);

}  // namespace stepscope
