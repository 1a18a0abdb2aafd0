// SPDX-License-Identifier: Apache-2.0
#include "collectors/nvml/device_locks.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace stepscope::nvml {

bool DeviceLocks::open(const char* path) noexcept {
  file_ = ::open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  return file_ >= 0;
}

bool DeviceLocks::take(std::uint32_t nvml_index) noexcept {
  if (file_ < 0) return true;
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = nvml_index;
  lock.l_len = 1;
  return fcntl(file_, F_SETLK, &lock) == 0;
}

}  // namespace stepscope::nvml
