// SPDX-License-Identifier: Apache-2.0
// The calling thread's ring. Initial-exec: one instruction to read, and no lazy allocation inside a
// hook.
#pragma once

#include "collectors/recorder/live_files/shared_layout.hpp"

namespace stepscope::recorder {

extern thread_local constinit RingHeader* thread_ring __attribute__((tls_model("initial-exec")));

}  // namespace stepscope::recorder
