// SPDX-License-Identifier: Apache-2.0
// Row numbers that name things within one Trace. All are 32 bits; kNone means "not there".
#pragma once

#include <cstdint>

namespace stepscope {

using StringId = std::uint32_t;        // StringTable; 0 is the empty string
using ProcessId = std::uint32_t;       // TraceData::processes
using ThreadId = std::uint32_t;        // TraceData::threads
using StreamId = std::uint32_t;        // TraceData::streams
using SiteId = std::uint32_t;          // TraceData::sites
using LaunchConfigId = std::uint32_t;  // TraceData::launch_configs
using RangeId = std::uint32_t;         // HostRanges row
using CallId = std::uint32_t;          // Calls row
using DeviceOpId = std::uint32_t;      // DeviceOps row

inline constexpr std::uint32_t kNone = 0xffffffffU;

}  // namespace stepscope
