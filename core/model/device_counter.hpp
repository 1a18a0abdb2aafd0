// SPDX-License-Identifier: Apache-2.0
// The counters of a device and their tracks: "gpu.N.NAME", N being the device's index in the
// process that recorded them (what Device::index is). The unit is the end of the name.
//
// Sums since some beginning, of which only differences mean anything: nvlink_*.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stepscope {

enum class DeviceCounter : std::uint8_t {
  sm_clock_mhz,
  memory_clock_mhz,
  power_mw,
  throttle_reasons,  // bits: ClockReason
  temperature_celsius,
  memory_used_bytes,     // the device's, by all processes and the driver
  process_memory_bytes,  // by the process that recorded it
  nvlink_sent_bytes,
  nvlink_received_bytes,
  other_processes,            // other processes with a context on the device
  power_limit_mw,             // the lowest of all limits that hold
  default_power_limit_mw,     // the card's own
  allocator_allocated_bytes,  // by PyTorch's allocator, of the process that recorded it: in tensors
  allocator_reserved_bytes,   // what it holds of the device for that
  // Means of an interval, from its begin on (PM sampling): shares of what could be, and rates.
  sm_active_percent,
  tensor_active_percent,
  dram_read_bytes_per_second,
  dram_write_bytes_per_second,
};
inline constexpr std::size_t kDeviceCounters = 18;

// Whether the counter is of the process that recorded it; the others are of the device.
bool is_of_process(DeviceCounter counter);

std::string_view name_of(DeviceCounter counter);
std::string device_track(std::uint32_t device, DeviceCounter counter);

struct DeviceTrack {
  std::uint32_t device;
  DeviceCounter counter;
};
// Nothing where the track is another's.
std::optional<DeviceTrack> parse_device_track(std::string_view track);

// Why a clock is below the most it could be, a bit each, as NVML numbers them.
struct ClockReason {
  std::uint64_t bit;
  std::string_view id;       // stable
  std::string_view meaning;  // "power-capped 12 % of the time"
};
inline constexpr std::uint64_t kClockIdle = 1;
inline constexpr std::array<ClockReason, 9> kClockReasons = {{
    {kClockIdle, "idle", "idle"},
    {0x2, "application_clocks", "held at application clocks"},
    {0x4, "power_cap", "power-capped"},
    {0x8, "hw_slowdown", "slowed by hardware"},
    {0x10, "sync_boost", "held by sync boost"},
    {0x20, "thermal", "throttled by temperature"},
    {0x40, "hw_thermal", "slowed by hardware for temperature"},
    {0x80, "power_brake", "slowed by the power brake"},
    {0x100, "display_clocks", "held at display clocks"},
}};

}  // namespace stepscope
