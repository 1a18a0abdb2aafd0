// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/device/device_state.hpp"

#include <algorithm>
#include <utility>

namespace stepscope {

SharedDevices::SharedDevices(const Trace& trace, ProcessId process) {
  for (auto& [device, samples] : device_samples(trace, process)) {
    const auto& counts = samples.of(DeviceCounter::other_processes);
    const bool ever =
        std::any_of(counts.begin(), counts.end(), [](const auto& s) { return s.value > 0; });
    if (ever) others_[device] = counts;
  }
}

bool SharedDevices::is_shared(std::uint32_t device, std::int64_t time) const {
  const auto found = others_.find(device);
  if (found == others_.end()) return false;
  const auto& counts = found->second;
  const auto behind =
      std::upper_bound(counts.begin(), counts.end(), time,
                       [](std::int64_t t, const DeviceSample& s) { return t < s.time; });
  return (behind != counts.end() && behind->value > 0) ||
         (behind != counts.begin() && std::prev(behind)->value > 0);
}

}  // namespace stepscope
