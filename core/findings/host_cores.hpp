// SPDX-License-Identifier: Apache-2.0
// How the host's cores were taken: how long the loop's thread was ready to run and had no core, how
// many cores the machine has, and what makes the loop's input. From what the sampler read of the
// threads' clocks (core/attribution/host/thread_cpu.hpp).
#pragma once

#include <cstdint>
#include <optional>

#include "core/findings/judged_run.hpp"

namespace stepscope::rules {

// Whether the trace tells how long the loop's thread waited for a core.
bool core_wait_is_known(const JudgedRun& run);
// Of this time, where it is known; 0 where it is not.
std::int64_t core_wait_ns(const JudgedRun& run, Interval time);

// That the process may use; nothing where the trace does not say.
std::optional<std::uint32_t> core_count(const JudgedRun& run);

// Of the time in which the loop's input is made, that it was on a core: of its workers' time,
// where it has some, else of the loop's thread within `times`. Nothing where it was not sampled.
std::optional<double> input_cpu_share(const JudgedRun& run, const IntervalSet& times);

// The most workers of one DataLoader that lived at once while the loop waited for it.
std::uint32_t loader_workers(const JudgedRun& run);

}  // namespace stepscope::rules
