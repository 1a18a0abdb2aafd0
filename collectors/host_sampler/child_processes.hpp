// SPDX-License-Identifier: Apache-2.0
// The processes that a thread of this one has started and that live: workers of a loader or of a pool.
// Nothing of ours need run in them.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>

#include "collectors/host_sampler/sample_queue.hpp"

namespace stepscope::host_sampler {

// Writes the first of them to `pids` and returns how many these are; nothing where the system does not
// list them. Children belong to the thread that forked them.
std::optional<std::size_t> children_of(pid_t tid, std::span<pid_t> pids) noexcept;

// Puts the CPU time so far of each of them.
void read_child_clocks(pid_t tid, std::int64_t now_ns, ChildUseQueue& queue) noexcept;

}  // namespace stepscope::host_sampler
