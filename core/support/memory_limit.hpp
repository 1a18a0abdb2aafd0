// SPDX-License-Identifier: Apache-2.0
// How much memory this process may come to hold before something kills it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace stepscope {

// The least of the machine's memory, the limits of its control groups and that on its address space
// (ulimit -v).
std::uint64_t memory_limit_bytes();

// The least memory limit on the way from a control group up to `root` (/sys/fs/cgroup); `groups` is
// the text of /proc/self/cgroup. The largest number where there is none.
std::uint64_t group_limit_bytes(const std::filesystem::path& root, std::string_view groups);

// Returns the memory of this process now; 0 where the system does not show it.
std::uint64_t resident_bytes();

// Returns how much more it may come to hold before its limit kills it or the machine swaps.
std::uint64_t memory_left_bytes();

// "MemAvailable" of the text of /proc/meminfo; the largest number where there is none.
std::uint64_t available_bytes(std::string_view meminfo);

}  // namespace stepscope
