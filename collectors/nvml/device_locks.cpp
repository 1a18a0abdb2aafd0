// SPDX-License-Identifier: Apache-2.0
#include "collectors/nvml/device_locks.hpp"

#include <fcntl.h>

#include <cstdio>

namespace stepscope::nvml {

bool DeviceLocks::open(const char* path) noexcept {
  std::snprintf(path_.data(), path_.size(), "%s", path);
  return file_.hold(::open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644));
}

bool DeviceLocks::take(std::uint32_t nvml_index) noexcept {
  if (!file_.is_held() || nvml_index >= taken_.size()) return true;
  if (!file_.is_ours() && !open_again()) return true;
  taken_[nvml_index] = lock(nvml_index);
  return taken_[nvml_index];
}

// The program has closed the file, which freed every byte.
bool DeviceLocks::open_again() noexcept {
  if (!file_.reopen(path_.data(), O_RDWR)) return false;
  for (std::uint32_t index = 0; index < taken_.size(); ++index) {
    if (taken_[index]) (void)lock(index);
  }
  return true;
}

bool DeviceLocks::lock(std::uint32_t nvml_index) const noexcept {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = nvml_index;
  lock.l_len = 1;
  return fcntl(file_.number(), F_SETLK, &lock) == 0;
}

}  // namespace stepscope::nvml
