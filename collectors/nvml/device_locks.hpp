// SPDX-License-Identifier: Apache-2.0
// One sampler a device and host: a lock file with a byte a device (its NVML index, the same in
// every process), locked by the process that samples it. The kernel frees the bytes of a process
// that dies, so another may take over.
//
// Record locks (fcntl) rather than flock: a child that was forked, like a worker of a data loader,
// does not hold them on behind its dead parent.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>

#include "core/support/own_descriptor.hpp"

namespace stepscope::nvml {

class DeviceLocks {
 public:
  // False where the file cannot be made; every device is then free, rather than none sampled.
  bool open(const char* path) noexcept;
  // True: this process samples the device from now on.
  bool take(std::uint32_t nvml_index) noexcept;

 private:
  bool lock(std::uint32_t nvml_index) const noexcept;
  bool open_again() noexcept;

  OwnDescriptor file_;  // never closed by us: that would free every byte
  std::array<char, 4096> path_{};
  std::bitset<1024> taken_;
};

}  // namespace stepscope::nvml
