// SPDX-License-Identifier: Apache-2.0
#include "collectors/nvml/sampled_devices.hpp"

#include <cstdio>

#include "collectors/recorder/recorder.hpp"

namespace stepscope::nvml {
namespace {

void note_unknown(const Library& library, std::uint32_t device, Status status) noexcept {
  std::array<char, 256> sentence{};
  std::snprintf(sentence.data(), sentence.size(),
                "GPU %u: clocks, power and memory are not sampled: NVML does not find it by its "
                "UUID (%s); a MIG instance has none of its own",
                device, text_of(library, status).data());
  recorder::note(sentence.data());
}

}  // namespace

void SampledDevices::add(std::uint32_t device, const char* uuid) noexcept {
  Handle handle = nullptr;
  unsigned index = 0;
  Status status = library_.device_by_uuid(uuid, &handle);
  if (status == kSuccess) status = library_.index_of(handle, &index);
  if (status != kSuccess) return note_unknown(library_, device, status);
  devices_.push_back({index, false, DeviceReader(library_, handle, device)});
}

void SampledDevices::take_free() noexcept {
  for (Sampled& device : devices_) {
    if (!device.held) device.held = locks_.take(device.nvml_index);
  }
}

void SampledDevices::read_all(ReadingQueue& queue) noexcept {
  for (Sampled& device : devices_) {
    if (device.held) queue.put(device.reader.read());
  }
}

}  // namespace stepscope::nvml
