// SPDX-License-Identifier: Apache-2.0
// The sampled counters of one process's devices. Each device of a host is sampled by one process,
// not always by the one whose steps are looked at: devices of two processes are the same where
// their UUIDs are.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "core/model/device_counter.hpp"
#include "core/model/trace.hpp"

namespace stepscope {

struct DeviceSample {
  std::int64_t time = 0;
  double value = 0;
};

struct DeviceSamples {
  std::array<std::vector<DeviceSample>, kDeviceCounters> by_counter;  // in order of time

  const std::vector<DeviceSample>& of(DeviceCounter counter) const {
    return by_counter[static_cast<std::size_t>(counter)];
  }
};

// Returns the samples by the device's index in `process`; devices without samples are left out.
std::map<std::uint32_t, DeviceSamples> device_samples(const Trace& trace, ProcessId process);

}  // namespace stepscope
