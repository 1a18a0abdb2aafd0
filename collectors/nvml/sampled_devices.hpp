// SPDX-License-Identifier: Apache-2.0
// The devices of this process as the sampler's thread sees them: each is found in NVML by its UUID
// (CUDA's numbers follow CUDA_VISIBLE_DEVICES, NVML's do not), and sampled while this process holds
// its lock.
#pragma once

#include <optional>
#include <vector>

#include "collectors/nvml/device_locks.hpp"
#include "collectors/nvml/device_reader.hpp"

namespace stepscope::nvml {

class SampledDevices {
 public:
  SampledDevices(const Library& library, DeviceLocks& locks) : library_(library), locks_(locks) {}

  // `device`: the process's own index. A device that NVML does not know is a note.
  void add(std::uint32_t device, const char* uuid) noexcept;
  // Samples from now on those that no other process samples.
  void take_free() noexcept;
  void read_all(ReadingQueue& queue) noexcept;

 private:
  struct Sampled {
    std::uint32_t nvml_index;
    bool held;
    DeviceReader reader;
  };
  Library library_;
  DeviceLocks& locks_;
  std::vector<Sampled> devices_;
};

}  // namespace stepscope::nvml
