// SPDX-License-Identifier: Apache-2.0
// NVTX_EVENTS: push/pop and start/end ranges, marks, and the names of domains and streams' threads.
// A text stands in the row or, where the program registered it, in StringIds.
#pragma once

#include "core/importers/nsys/filling.hpp"

namespace stepscope::nsys {

// A range that was still open when recording stopped ends at `last`, the end of the session.
Status read_nvtx_table(Filling& to, std::int64_t last);

}  // namespace stepscope::nsys
