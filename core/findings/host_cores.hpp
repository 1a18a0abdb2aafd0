// SPDX-License-Identifier: Apache-2.0
// The use of the host's cores: how long the loop's thread was ready to run and had no core, how
// many cores the machine has, and what makes the loop's input. Computed from the sampler's readings
// of the threads' clocks (core/attribution/host/thread_cpu.hpp).
#pragma once

#include <cstdint>
#include <optional>

#include "core/findings/judged_run.hpp"

namespace stepscope::rules {

// Whether the trace holds how long the loop's thread waited for a core.
bool core_wait_is_known(const JudgedRun& run);
// Returns the wait for a core within this time; 0 where it is not known.
std::int64_t core_wait_ns(const JudgedRun& run, Interval time);

// Returns the cores that the process may use; nothing where the trace does not say.
std::optional<std::uint32_t> core_count(const JudgedRun& run);

// Returns the share on a core of the time in which the loop's input is made: its workers' time,
// where it has some, else the loop's thread's within `times`. Nothing where it was not sampled.
std::optional<double> input_cpu_share(const JudgedRun& run, const IntervalSet& times);

// Returns the most workers of one DataLoader that lived at once while the loop waited for it.
std::uint32_t loader_workers(const JudgedRun& run);

}  // namespace stepscope::rules
