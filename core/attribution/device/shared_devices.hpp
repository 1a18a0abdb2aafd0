// SPDX-License-Identifier: Apache-2.0
// When other processes had a context on a device of a process, by NVML's count, which is sampled
// about once a second. The hardware then gives each process a slice of time in turn: work that is
// ready does not begin, and the trace of the one process does not show why.
#pragma once

#include <cstdint>
#include <map>

#include "core/device_health/device_samples.hpp"

namespace stepscope {

class SharedDevices {
 public:
  SharedDevices(const Trace& trace, ProcessId process);

  // Whether the sample before `time`, or the one behind it, counts others.
  bool is_shared(std::uint32_t device, std::int64_t time) const;

 private:
  std::map<std::uint32_t, std::vector<DeviceSample>> others_;
};

}  // namespace stepscope
