// SPDX-License-Identifier: Apache-2.0
// One sampler a device and host: a lock file with a byte a device (its NVML index, the same in
// every process), locked by the process that samples it. The kernel frees the bytes of a process
// that dies, so another may take over.
//
// Record locks (fcntl) rather than flock: a child that was forked, like a worker of a data loader,
// does not hold them on behind its dead parent.
#pragma once

#include <cstdint>

namespace stepscope::nvml {

class DeviceLocks {
 public:
  // False where the file cannot be made; every device is then free, rather than none sampled.
  bool open(const char* path) noexcept;
  // True: this process samples the device from now on.
  bool take(std::uint32_t nvml_index) noexcept;

 private:
  int file_ = -1;  // never closed: that would free every byte
};

}  // namespace stepscope::nvml
