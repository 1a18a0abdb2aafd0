// SPDX-License-Identifier: Apache-2.0
#include "collectors/recorder/live_files/numbered_name.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

namespace stepscope::recorder {

bool may_be_as_large(std::size_t size) noexcept {
  rlimit limit{};
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
         size <= limit.rlim_cur;
}

int create_backed_file(const char* path, std::size_t size, std::size_t allocated) noexcept {
  if (!may_be_as_large(size)) return -1;
  const int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (fd < 0) return -1;
  if (allocate_blocks(fd, 0, allocated) && ftruncate(fd, static_cast<off_t>(size)) == 0) return fd;
  close(fd);
  unlink(path);
  return -1;
}

void* map_shared(int fd, std::size_t size, void* address) noexcept {
  const int flags = MAP_SHARED | MAP_NORESERVE | (address != nullptr ? MAP_FIXED : 0);
  void* at = mmap(address, size, PROT_READ | PROT_WRITE, flags, fd, 0);
  return at == MAP_FAILED ? nullptr : at;
}

bool allocate_blocks(int fd, std::size_t offset, std::size_t size) noexcept {
  return may_be_as_large(offset + size) &&
         posix_fallocate(fd, static_cast<off_t>(offset), static_cast<off_t>(size)) == 0;
}

}  // namespace stepscope::recorder
