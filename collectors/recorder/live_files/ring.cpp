// SPDX-License-Identifier: Apache-2.0
#include "collectors/recorder/live_files/ring.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <new>

#include "collectors/recorder/live_files/numbered_name.hpp"

namespace stepscope::recorder {

RingHeader* create_ring(const char* path, std::int64_t tid, std::uint32_t slots) noexcept {
  const std::size_t bytes = ring_bytes(slots);
  const int fd = create_backed_file(path, bytes, bytes);
  if (fd < 0) return nullptr;
  void* at = map_shared(fd, bytes, nullptr);
  close(fd);
  if (at == nullptr) {
    unlink(path);
    return nullptr;
  }
  auto* ring = new (at) RingHeader{};
  ring->tid = tid;
  ring->slots = slots;
  ring->magic = RingHeader::kMagic;
  return ring;
}

RingHeader* open_ring(const char* path) noexcept {
  const int fd = open(path, O_RDWR | O_CLOEXEC);
  if (fd < 0) return nullptr;
  struct stat info {};
  void* at = nullptr;
  if (fstat(fd, &info) == 0 && info.st_size > static_cast<off_t>(kRingHeaderBytes)) {
    at = map_shared(fd, static_cast<std::size_t>(info.st_size), nullptr);
  }
  close(fd);
  auto* ring = static_cast<RingHeader*>(at);
  if (ring == nullptr) return nullptr;
  const auto size = static_cast<std::size_t>(info.st_size);
  const bool whole = ring->magic == RingHeader::kMagic && ring->slots != 0 &&
                     (ring->slots & (ring->slots - 1)) == 0 && ring_bytes(ring->slots) == size &&
                     ring->head - ring->tail <= ring->slots;
  if (whole) return ring;
  munmap(at, size);
  return nullptr;
}

void touch_pages(RingHeader* ring) noexcept {
  constexpr int kPopulateWrite = 23;  // MADV_POPULATE_WRITE, not in older headers
  if (ring->pages_touched != 0) return;
  ring->pages_touched = 1;
  (void)madvise(ring, ring_bytes(ring->slots), kPopulateWrite);
}

void close_ring(RingHeader* ring) noexcept {
  munmap(ring, ring_bytes(ring->slots));
}

}  // namespace stepscope::recorder
