// SPDX-License-Identifier: Apache-2.0
// A file kept open inside a program that is not ours. Programs close descriptors that they do not
// know, and the next file that they open gets the number: a write would land in it. So the number
// is a high one, which few programs reach, and before each use `is_ours` asks whether it still
// means the same file.
//
// Header only, no exceptions: the injected library uses it.
#pragma once

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace stepscope {

class OwnDescriptor {
 public:
  OwnDescriptor() = default;
  OwnDescriptor(const OwnDescriptor&) = delete;
  ~OwnDescriptor() { close(); }

  // Takes over a descriptor that was just opened. False, with errno, where it is none.
  bool hold(int fd) noexcept {
    struct stat file {};
    if (fd < 0 || fstat(fd, &file) != 0) return false;
    fd_ = moved_up(fd);
    device_ = file.st_dev;
    inode_ = file.st_ino;
    return true;
  }
  // The same file again, by its path; false, with errno, where that is another one now, or none.
  bool reopen(const char* path, int flags) noexcept {
    const int fd = ::open(path, flags | O_CLOEXEC);
    if (fd < 0) return false;
    if (is_same(fd)) {
      fd_ = moved_up(fd);
      return true;
    }
    ::close(fd);
    errno = ESTALE;
    return false;
  }

  bool is_held() const noexcept { return fd_ >= 0; }
  bool is_ours() const noexcept { return fd_ >= 0 && is_same(fd_); }
  int number() const noexcept { return fd_; }

  // 0 or -1 as of close(2). A number that is another file's by now is left alone.
  int close() noexcept {
    const bool ours = is_ours();
    const int fd = std::exchange(fd_, -1);
    return ours ? ::close(fd) : 0;
  }

 private:
  static int moved_up(int fd) noexcept {
    constexpr rlim_t kHigh = 960, kBelowTheLimit = 64;
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur <= 2 * kBelowTheLimit) return fd;
    const auto lowest = static_cast<int>(std::min(kHigh, limit.rlim_cur - kBelowTheLimit));
    const int high = fcntl(fd, F_DUPFD_CLOEXEC, lowest);
    if (high < 0) return fd;
    ::close(fd);
    return high;
  }
  bool is_same(int fd) const noexcept {
    struct stat file {};
    return fstat(fd, &file) == 0 && file.st_dev == device_ && file.st_ino == inode_;
  }

  int fd_ = -1;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace stepscope
