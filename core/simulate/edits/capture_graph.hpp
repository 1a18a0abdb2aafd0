// SPDX-License-Identifier: Apache-2.0
// Launches become one CUDA graph launch. A stretch ends where the host waits, copies from or to
// pageable memory, works for more than 0.2 ms between two calls, or leaves the scope: that cannot
// be captured. Inside, the host work goes (it ran when the graph was captured), and each op follows
// the one before it at the device's own pace.
#pragma once

#include "core/simulate/edits/edit.hpp"

namespace stepscope {

void capture_graph(Edit& edit);

}  // namespace stepscope
