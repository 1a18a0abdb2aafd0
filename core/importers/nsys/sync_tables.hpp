// SPDX-License-Identifier: Apache-2.0
// Waits (CUPTI_ACTIVITY_KIND_SYNCHRONIZATION) and event records (..._CUDA_EVENT), which also hold
// the stream and the event of the calls that made them.
//
// Which record a wait waits for: the one with its eventSyncId; where the export has none, the last
// record of that event whose call came before it (correlation ids of a process only grow).
#pragma once

#include "core/importers/nsys/filling.hpp"

namespace stepscope::nsys {

// After the calls. True where waits were joined to records: then event waits are exact.
Result<bool> read_sync_tables(Filling& to);

}  // namespace stepscope::nsys
