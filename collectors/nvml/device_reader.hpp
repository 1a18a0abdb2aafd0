// SPDX-License-Identifier: Apache-2.0
// Reads the counters of one device, at one moment after another. A counter that the device, the
// driver or a permission denies, or that fails three times in a row, is not asked for again, and a
// note says so once; the others go on.
//
// Left out on purpose: nvmlDeviceGetPcieThroughput, which measures for 20 ms inside the call.
#pragma once

#include <array>
#include <cstdint>

#include "collectors/nvml/nvml_library.hpp"
#include "collectors/recorder/single_producer_queue.hpp"
#include "core/model/device_counter.hpp"

namespace stepscope::nvml {

struct Reading {
  std::int64_t time = 0;  // CLOCK_REALTIME, ns: when the reading began
  std::uint32_t device = 0;
  std::uint32_t known = 0;  // a bit a counter
  std::array<double, kDeviceCounters> values{};

  bool has(DeviceCounter counter) const {
    return (known >> static_cast<unsigned>(counter) & 1U) != 0;
  }
  double of(DeviceCounter counter) const { return values[static_cast<std::size_t>(counter)]; }
};

class DeviceReader {
 public:
  // `device`: the index that the process knows it by, for tracks and notes.
  DeviceReader(const Library& library, Handle handle, std::uint32_t device)
      : library_(library), handle_(handle), device_(device) {}

  Reading read() noexcept;

 private:
  static constexpr std::uint32_t kSeldom = 10;  // readings: what takes long, or hardly changes
  static constexpr std::uint8_t kMostFailures = 3;

  void read_clocks(Reading& to) noexcept;
  void read_number(Reading& to, DeviceCounter counter,
                   Status (*function)(Handle, unsigned, unsigned*), unsigned which) noexcept;
  void read_power(Reading& to) noexcept;
  void read_power_limits(Reading& to) noexcept;
  void read_memory(Reading& to) noexcept;
  void read_processes(Reading& to) noexcept;
  void take_process_memory(Reading& to, const ProcessInfo* own) noexcept;
  void read_nvlink(Reading& to) noexcept;

  bool is_on(DeviceCounter counter) const noexcept;
  bool field(unsigned field, unsigned scope, double& value, Status& status) noexcept;
  // Keeps the value, or counts the failure.
  void take(Reading& to, DeviceCounter counter, Status status, double value) noexcept;
  void switch_off(DeviceCounter counter, const char* why, bool note) noexcept;

  Library library_;
  Handle handle_;
  std::uint32_t device_;
  std::uint32_t readings_ = 0;
  std::uint32_t off_ = 0;  // a bit a counter
  std::array<std::uint8_t, kDeviceCounters> failures_{};
  bool instant_power_ = true;
};

// Readings on their way from the sampler's thread to the writer's.

using ReadingQueue = recorder::SingleProducerQueue<Reading, 1024>;  // 12 s of 8 devices at 100 ms

}  // namespace stepscope::nvml
