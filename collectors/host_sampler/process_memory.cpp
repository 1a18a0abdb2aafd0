// SPDX-License-Identifier: Apache-2.0
#include "collectors/host_sampler/process_memory.hpp"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cstdio>

namespace stepscope::host_sampler {

ProcessMemory::~ProcessMemory() {
  if (file_ >= 0) close(file_);
}

bool ProcessMemory::read(std::span<const Piece> pieces) const noexcept {
  if (file_ >= 0) return read_file(pieces);
  if (pieces.size() > kMostPieces) return false;
  std::array<iovec, kMostPieces> here, there;
  std::size_t wanted = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    here[i] = {pieces[i].to, pieces[i].size};
    there[i] = {reinterpret_cast<void*>(pieces[i].from), pieces[i].size};
    wanted += pieces[i].size;
  }
  const ssize_t got =
      process_vm_readv(pid_, here.data(), pieces.size(), there.data(), pieces.size(), 0);
  return got >= 0 && static_cast<std::size_t>(got) == wanted;
}

bool ProcessMemory::read_file(std::span<const Piece> pieces) const noexcept {
  for (const Piece& piece : pieces) {
    const ssize_t got = pread(file_, piece.to, piece.size, static_cast<off_t>(piece.from));
    if (got < 0 || static_cast<std::size_t>(got) != piece.size) return false;
  }
  return true;
}

bool ProcessMemory::works(Address good) noexcept {
  char byte = 0;
  if (load(good, byte)) return true;
  std::array<char, 32> path{};
  std::snprintf(path.data(), path.size(), "/proc/%d/mem", pid_);
  file_ = open(path.data(), O_RDONLY | O_CLOEXEC);
  return file_ >= 0 && load(good, byte);
}

}  // namespace stepscope::host_sampler
