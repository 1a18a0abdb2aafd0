// SPDX-License-Identifier: Apache-2.0
#include "core/model/device_counter.hpp"

#include <charconv>

namespace stepscope {
namespace {

constexpr std::string_view kPrefix = "gpu.";
constexpr std::array<std::string_view, kDeviceCounters> kCounterNames = {
    "sm_clock_mhz",
    "memory_clock_mhz",
    "power_mw",
    "throttle_reasons",
    "temperature_celsius",
    "memory_used_bytes",
    "process_memory_bytes",
    "nvlink_sent_bytes",
    "nvlink_received_bytes",
    "other_processes",
    "power_limit_mw",
    "default_power_limit_mw",
    "allocator_allocated_bytes",
    "allocator_reserved_bytes",
    "sm_active_percent",
    "tensor_active_percent",
    "dram_read_bytes_per_second",
    "dram_write_bytes_per_second"};
static_assert(!kCounterNames.back().empty(), "every counter has a name");

}  // namespace

bool is_of_process(DeviceCounter counter) {
  return counter == DeviceCounter::process_memory_bytes ||
         counter == DeviceCounter::allocator_allocated_bytes ||
         counter == DeviceCounter::allocator_reserved_bytes;
}

std::string_view name_of(DeviceCounter counter) {
  return kCounterNames[static_cast<std::size_t>(counter)];
}

std::string device_track(std::uint32_t device, DeviceCounter counter) {
  std::string track(kPrefix);
  track += std::to_string(device);
  track += '.';
  return track += name_of(counter);
}

std::optional<DeviceTrack> parse_device_track(std::string_view track) {
  if (!track.starts_with(kPrefix)) return std::nullopt;
  track.remove_prefix(kPrefix.size());
  std::uint32_t device = 0;
  const auto [end, error] = std::from_chars(track.data(), track.data() + track.size(), device);
  if (error != std::errc() || end == track.data() + track.size() || *end != '.')
    return std::nullopt;
  track.remove_prefix(static_cast<std::size_t>(end - track.data()) + 1);
  for (std::size_t i = 0; i < kCounterNames.size(); ++i) {
    if (track == kCounterNames[i]) return DeviceTrack{device, static_cast<DeviceCounter>(i)};
  }
  return std::nullopt;
}

}  // namespace stepscope
