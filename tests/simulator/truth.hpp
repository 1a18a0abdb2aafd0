// SPDX-License-Identifier: Apache-2.0
// The true partition of a run's windows, from its own causality: while the device works, the work
// owns the time; while it idles, whatever the next op truly waited for at that moment.
#pragma once

#include "tests/simulator/run.hpp"

namespace stepscope::simulator {

PerCause<std::int64_t> true_partition(const Run& run);

// Merges what the partition cannot distinguish: which of two computing kernels, which of two copies
// owns the time in which both run is nobody's truth.
PerCause<std::int64_t> merge_equals(PerCause<std::int64_t> parts);

}  // namespace stepscope::simulator
