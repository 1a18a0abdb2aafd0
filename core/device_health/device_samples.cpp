// SPDX-License-Identifier: Apache-2.0
#include "core/device_health/device_samples.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace stepscope {
namespace {

// A device's index in one process, by that in another.
class DeviceNames {
 public:
  DeviceNames(const Trace& trace, ProcessId process) : process_(process) {
    for (const Device& device : trace.data().devices) {
      if (device.uuid.empty()) continue;
      uuids_[{device.process, device.index}] = device.uuid;
      if (device.process == process) indexes_[device.uuid] = device.index;
    }
  }

  std::optional<std::uint32_t> index_of(ProcessId process, std::uint32_t index) const {
    if (process == process_) return index;
    const auto uuid = uuids_.find({process, index});
    if (uuid == uuids_.end()) return std::nullopt;
    const auto same = indexes_.find(uuid->second);
    return same == indexes_.end() ? std::nullopt : std::optional(same->second);
  }

 private:
  ProcessId process_;
  std::map<std::pair<ProcessId, std::uint32_t>, std::string> uuids_;
  std::map<std::string, std::uint32_t> indexes_;
};

}  // namespace

std::map<std::uint32_t, DeviceSamples> device_samples(const Trace& trace, ProcessId process) {
  const DeviceNames names(trace, process);
  const Counters& c = trace.data().counters;
  std::map<StringId, std::optional<DeviceTrack>> tracks;
  std::map<std::uint32_t, DeviceSamples> out;
  for (std::size_t row = 0; row < c.size(); ++row) {
    const auto [at, is_new] = tracks.try_emplace(c.track[row]);
    if (is_new) at->second = parse_device_track(trace.text(c.track[row]));
    if (!at->second) continue;
    const auto [number, counter] = *at->second;
    if (is_of_process(counter) && c.process[row] != process) continue;
    if (const auto device = names.index_of(c.process[row], number))
      out[*device].by_counter[static_cast<std::size_t>(counter)].push_back(
          {c.time[row], c.value[row]});
  }
  for (auto& [device, samples] : out) {
    for (auto& list : samples.by_counter)
      std::stable_sort(list.begin(), list.end(), [](const DeviceSample& a, const DeviceSample& b) {
        return a.time < b.time;
      });
  }
  return out;
}

}  // namespace stepscope
