// SPDX-License-Identifier: Apache-2.0
// CPU time that another thread of this process, or another process, has used so far; and what a
// thread of this process does.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "core/model/events.hpp"

namespace stepscope::host_sampler {

// A thread that has used less than this since it was seen has only woken up and gone on waiting.
inline constexpr std::uint64_t kMoved_ns = 20'000;

// Nanoseconds; 0: it has ended, or cannot be asked.
std::uint64_t thread_cpu_ns(pid_t tid) noexcept;
std::uint64_t process_cpu_ns(pid_t pid) noexcept;

// Returns the nanoseconds that a thread of this process was ready to run and waited for a core; 0:
// the system does not count them.
std::uint64_t thread_wait_ns(pid_t tid) noexcept;

// Returns what a thread of this process that sleeps waits for, by the system call that it is in;
// unknown where it is awake or the system does not show calls. Costs some microseconds.
AsleepIn asleep_in(pid_t tid) noexcept;
// Whether the system shows in which call a thread sleeps.
bool can_see_calls(pid_t tid) noexcept;

// Whether a thread of this process runs or waits for a core; costs more than the clocks.
bool is_runnable(pid_t tid) noexcept;

}  // namespace stepscope::host_sampler
